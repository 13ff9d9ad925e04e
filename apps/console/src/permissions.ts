import type { AccountRole, MemberRole } from '@cairn/auth';

/** Rights within an account. */
export const permissions = ['account', 'read', 'develop', 'bill', 'manage'] as const;
export type Permission = (typeof permissions)[number];

/** Rights of each role. */
const ofRoles = {
  owner: permissions,
  developer: ['account', 'read', 'develop'],
  billing: ['account', 'bill'],
  'read-only': ['account', 'read'],
} as const satisfies Record<AccountRole, readonly Permission[]>;

/** An operator has the rights of an owner within the own account. */
export function permissionsOf(role: MemberRole): readonly Permission[] {
  return ofRoles[role === 'operator' ? 'owner' : role];
}

interface Rule {
  readonly method?: string;
  readonly path: RegExp;
  readonly needs: Permission;
}

/** Rights that routes need: the first matching rule applies. Routes without a rule need `read` or `develop`. */
const rules: readonly Rule[] = [
  // Profile, password, second factor and sessions of the member itself.
  { path: /^\/api\/me(\/|$)/, needs: 'account' },
  { method: 'GET', path: /^\/api\/(usage|billing|members)(\/|$)/, needs: 'account' },
  { path: /^\/api\/billing(\/|$)/, needs: 'bill' },
  { path: /^\/api\/(members|invitations)(\/|$)/, needs: 'manage' },
  // A call changes nothing in the account. Members who read keys can also call with them.
  { method: 'POST', path: /^\/api\/networks\/:name\/rpc$/, needs: 'read' },
  { method: 'GET', path: /^/, needs: 'read' },
];

/** Right that a route needs. `path` is the pattern of the route, such as `/api/keys/:id`. */
export function permissionFor(method: string, path: string): Permission {
  return rules.find((rule) => (rule.method ?? method) === method && rule.path.test(path))?.needs ?? 'develop';
}
