/** `queued` and `pinning` are open; `pinned` and `failed` are final. */
export type PinRequestStatus = 'queued' | 'pinning' | 'pinned' | 'failed';

export const pinRequestStatuses: readonly PinRequestStatus[] = ['queued', 'pinning', 'pinned', 'failed'];

/** Properties that an account gives a pin request. */
export interface NewPinRequest {
  /** CID in the form that the account gave it. */
  readonly cid: string;
  readonly name?: string | undefined;
  /** Multiaddrs of nodes that provide the content. */
  readonly origins?: readonly string[] | undefined;
  /** Attributes of the account, stored as given. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
  /** Reference of the key that is recorded in the usage of the account. */
  readonly key: string;
}

/** An order of an account to pin a DAG, and its result. An account may have several requests for one CID. */
export interface PinRequest extends NewPinRequest {
  readonly id: string;
  readonly account: string;
  /** Microseconds since 1970. Each request of an account has a later time than the one before it. */
  readonly createdAt: number;
  readonly status: PinRequestStatus;
  /** Reason of the last failed attempt. */
  readonly reason?: string | undefined;
  /** Size of the DAG so far, while an attempt fetches its blocks. Absent for a final request. */
  readonly progress?: { readonly blocks: number; readonly bytes: number } | undefined;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** CID of the replaced request. Its pin is released when this request is final, so that common blocks stay stored. */
  readonly holds?: string | undefined;
  /** Earliest time of the next attempt, in milliseconds since 1970. Absent for a final request. */
  readonly dueAt?: number | undefined;
}

/** Result of an attempt. */
export type PinRequestOutcome =
  | { readonly status: 'pinned' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'queued'; readonly reason?: string | undefined; readonly dueAt: number };

export const pinRequestLimits = {
  /** Requests of an account. A listing reads all of them. */
  requestsMax: 100_000,
  /** Requests of an account that wait or run. */
  openMax: 10_000,
} as const;
