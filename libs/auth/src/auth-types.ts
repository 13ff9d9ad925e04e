import type { ApiKey } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Actor } from './audit.ts';
import type { KeyPolicy } from './key-policy.ts';
import type { SecretBox } from './secrets/secret-box.ts';

export interface AuthOptions {
  readonly store: AccountStore;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Source of the key that signs delegations, the same in all processes of a home. Default: a secret stored unencrypted. */
  readonly secrets?: SecretBox | undefined;
  /** Author of changes, for the audit log. Default: `system`. */
  readonly actor?: Actor;
}

/** Properties of a new account. */
export interface AccountOptions {
  readonly name: string;
  readonly email?: string | undefined;
  /** Name of the plan. Default: `free`. The caller makes sure that it exists. */
  readonly plan?: string;
  /** First member, created in the same transaction. */
  readonly owner?: { readonly email: string; readonly passwordHash: string };
}

/** Properties of a new key. */
export interface KeyOptions {
  readonly name?: string;
  /** Default: generated. */
  readonly id?: string;
  /** Default: generated. */
  readonly secret?: string;
  readonly policy?: KeyPolicy | undefined;
  /** End of validity, in milliseconds since 1970. Default: the key does not expire. */
  readonly expiresAt?: number | undefined;
}

/** New key or new secret of a key. The secret is returned only here; the store keeps a hash. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: string;
}
