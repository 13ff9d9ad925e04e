import type { ApiKey } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Actor } from './audit.ts';
import type { KeyPolicy } from './key-policy.ts';
import type { SecretBox } from './secrets/secret-box.ts';

export interface AuthOptions {
  readonly store: AccountStore;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Signs delegations. All processes of a home need the same one. Default: a secret that is kept clear in the store. */
  readonly secrets?: SecretBox | undefined;
  /** Who makes changes, for the audit log. Default: `system`. */
  readonly actor?: Actor;
}

/** How a key is made. */
export interface KeyOptions {
  readonly name?: string;
  /** Default: generated. */
  readonly id?: string;
  /** Default: generated. */
  readonly secret?: string;
  readonly policy?: KeyPolicy | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** A key with its secret, which is told once and kept nowhere. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: string;
}
