import type { AccountRole, MemberRole } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import type { Entered } from './entrance.ts';

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

/** Rights of a role. An operator has those of an owner within the own account. */
export function permissionsOf(role: MemberRole): readonly Permission[] {
  return ofRoles[role === 'operator' ? 'owner' : role];
}

/** Rights of a sender within the account. */
export function permissionsWith({ member, viewEndsAt, apiToken }: SenderLike): readonly Permission[] {
  if (viewEndsAt !== undefined) return ofRoles['read-only'];
  const own = permissionsOf(member.role);
  return apiToken?.isReadOnly ? own.filter((one) => one === 'account' || one === 'read') : own;
}

type SenderLike = Pick<Entered, 'viewEndsAt' | 'apiToken'> & { readonly member: { readonly role: MemberRole } };

/** Requires the right of a route. `path` is its pattern, such as `/api/keys/:id`. @throws ROLE_NOT_ALLOWED */
export function requirePermission(sender: SenderLike, method: string, path: string): void {
  const { member, viewEndsAt, apiToken } = sender;
  if (viewEndsAt !== undefined && method !== 'GET' && path !== '/api/me/view')
    throw refused('You view the account of a customer, and a view changes nothing.', 'End the view.');
  if (apiToken !== undefined && path.startsWith('/api/me/'))
    throw refused('An API token cannot manage the sign-in of its member.', 'Use the page Security of the console.');
  const needed = permissionFor(method, path);
  if (permissionsWith(sender).includes(needed) && !(apiToken?.isReadOnly && isOperatorChange(method, path))) return;
  if (apiToken?.isReadOnly && permissionsOf(member.role).includes(needed))
    throw refused('This API token only reads.', 'Create a token that may change data.');
  throw refused(`The role ${member.role} of this account does not allow this.`, 'Ask an owner of the account.');
}

function isOperatorChange(method: string, path: string): boolean {
  return method !== 'GET' && path.startsWith('/api/operator/');
}

function refused(message: string, hint: string): CairnError {
  return new CairnError('ROLE_NOT_ALLOWED', message, { hint });
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
  { method: 'GET', path: /^\/api\/(usage|billing|members|status)(\/|$)/, needs: 'account' },
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
