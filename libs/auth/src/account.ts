import type { KeyPolicy } from './key-policy.ts';

/** A customer: the owner of keys, pins and usage. */
export interface Account {
  readonly id: string;
  /** Unique among accounts. */
  readonly name: string;
  readonly email: string | undefined;
  readonly plan: string;
  /** A suspended account is refused by every service, its data stays. */
  readonly status: 'active' | 'suspended';
  /** Storage asks for one, on the free plan too. Never more than brand and last digits. */
  readonly card: BillingCard | undefined;
  /** Bytes that it may hold in storage; absent where the service's own limit holds. */
  readonly quotaBytes?: number | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface BillingCard {
  /** For example `visa`. */
  readonly brand: string;
  /** The last four digits of its number. */
  readonly last4: string;
  readonly attachedAt: number;
}

/** An API key. What it opens is proven by a secret for storage, and by the id alone for JSON-RPC. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createdAt: number;
  /** One, or two while it is being rotated. */
  readonly secrets: readonly StoredSecret[];
  readonly revokedAt: number | undefined;
  /** What it is limited to; absent: what its account may. */
  readonly policy?: KeyPolicy | undefined;
  /** Milliseconds since 1970; absent for one that ends when it is revoked. */
  readonly expiresAt?: number | undefined;
}

/** What is kept of a secret: enough to recognize it, not to tell it. */
export interface StoredSecret {
  /** 16 random bytes, in hexadecimal. */
  readonly salt: string;
  /** SHA-256 of salt and secret, in hexadecimal. */
  readonly hash: string;
  /** When it ends to be valid; absent for the newest one. */
  readonly expiresAt: number | undefined;
}

/** Who calls: what an authenticated request carries on. */
export interface Principal {
  readonly account: Account;
  readonly key: Pick<ApiKey, 'id' | 'name'> & {
    readonly policy: KeyPolicy;
    /** Names it in logs, metrics and the ledger of usage, and opens nothing: see `keyReference`. */
    readonly reference: string;
  };
  /** Present where a service reads for its own pages: the request is counted for it, under no limit, and not for the account. */
  readonly payer?: { readonly id: string };
}
