import type { KeyPolicy } from './key-policy.ts';

/** Customer account: the owner of keys, pins and usage. */
export interface Account {
  readonly id: string;
  /** Unique among accounts. */
  readonly name: string;
  readonly email: string | undefined;
  readonly plan: string;
  /** A suspended account is refused by every service. Its data stays. */
  readonly status: 'active' | 'suspended';
  /** Required for storage, also on the free plan. */
  readonly card: BillingCard | undefined;
  /** Bytes that the account may keep in storage. Absent: the limit of its plan. */
  readonly quotaBytes?: number | undefined;
  /** Whether IPFS peers may fetch its pinned blocks when the operator serves only accounts that agreed. Absent: no. */
  readonly servesPeers?: boolean | undefined;
  /** Alerts before limits are reached. Absent: none. */
  readonly alerts?: UsageAlerts | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Alerts of an account before its limits are reached. */
export interface UsageAlerts {
  /** Percentages of a limit, rising. */
  readonly thresholds: readonly number[];
  /** Sends mail to owners and billing members with a verified address. */
  readonly byMail: boolean;
  /** Sends a signed message to the webhook of the account. */
  readonly byWebhook: boolean;
  /** Reached alerts: `sent`, or the time of the running attempt in milliseconds since 1970. */
  readonly sent: Readonly<Record<string, number | 'sent'>>;
}

/** Brand and last digits of a card: all that is stored of it. */
export interface BillingCard {
  /** For example `visa`. */
  readonly brand: string;
  /** The last four digits of its number. */
  readonly last4: string;
  readonly attachedAt: number;
}

/** API key. Storage requires its secret; JSON-RPC requires only its id. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createdAt: number;
  /** Newest secret, followed by the previous one during a rotation. */
  readonly secrets: readonly StoredSecret[];
  readonly revokedAt: number | undefined;
  /** Restrictions of the key. Absent: it may do everything that its account may. */
  readonly policy?: KeyPolicy | undefined;
  /** Milliseconds since 1970. Absent: the key does not expire. */
  readonly expiresAt?: number | undefined;
}

/** Salted hash of a secret. */
export interface StoredSecret {
  /** 16 random bytes, in hexadecimal. */
  readonly salt: string;
  /** SHA-256 of salt and secret, in hexadecimal. */
  readonly hash: string;
  /** End of validity, in milliseconds since 1970. Absent for the newest secret. */
  readonly expiresAt: number | undefined;
}

/** Account and key of an authenticated request. */
export interface Principal {
  readonly account: Account;
  readonly key: Pick<ApiKey, 'id' | 'name'> & {
    readonly policy: KeyPolicy;
    /** Name of the key in logs, metrics and usage rows. It is not a credential; see `keyReference`. */
    readonly reference: string;
  };
  /** Present if a service reads for its own pages: the request counts for the service, without limits, not for the account. */
  readonly payer?: { readonly id: string };
}
