import type { CID } from '@cairn/cid';
import type { CollectionLock } from '../pin-store.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import type { NewPinRequest, PinRequest, PinRequestOutcome } from './pin-request.ts';

export interface PinRequestRange {
  /** Microseconds since 1970, exclusive. */
  readonly before?: number | undefined;
  /** Microseconds since 1970, exclusive. */
  readonly after?: number | undefined;
}

/** A pin that no request needs, unless another request names its CID. */
export interface ReleasedPin {
  readonly account: string;
  readonly cid: CID;
}

/**
 * The port to the records of pin requests. Every change is atomic, and durable once resolved. Its cost does not grow with the
 * number of requests.
 */
export interface PinRequestStore {
  /** Webhooks that get the changes of requests: the first attempt begins, pinned, failed. */
  readonly webhooks: WebhookStore;
  /**
   * Creates a request that is due immediately. `replaces` removes another one in the same change and keeps its pin until the
   * new request is final.
   * @throws PIN_REQUEST_NOT_FOUND for `replaces`, PIN_REQUESTS_FULL
   */
  add(account: string, request: NewPinRequest, options?: { readonly replaces?: string }): Promise<PinRequest>;
  /** Removes a request and releases its pins. @throws PIN_REQUEST_NOT_FOUND */
  remove(account: string, id: string): Promise<void>;
  get(account: string, id: string): Promise<PinRequest | undefined>;
  /** Streams the requests of an account, the newest first. */
  list(account: string, range?: PinRequestRange): AsyncIterable<PinRequest>;
  /** Streams the requests of an account for a CID, in the order of their times. */
  listOf(account: string, cid: CID): AsyncIterable<PinRequest>;
  /** Records that an attempt runs. Resolves to false if the request was removed or is final. */
  begin(account: string, id: string): Promise<boolean>;
  /** Records the progress of an attempt. Does nothing for a request that was removed or is final. */
  report(account: string, id: string, progress: NonNullable<PinRequest['progress']>): Promise<void>;
  /**
   * Records the result of an attempt. If the request was removed meanwhile, its pin is released instead, and the call
   * resolves to undefined.
   */
  finish(request: PinRequest, outcome: PinRequestOutcome): Promise<PinRequest | undefined>;
  /** Returns the first account with open requests after another one, in byte order. */
  openAccountAfter(account: string | undefined): string | undefined;
  /** Returns the first request of an account that is due and not in `except`. */
  firstDue(account: string, now: number, except: ReadonlySet<string>): PinRequest | undefined;
  /** Number of open requests of all accounts. */
  openCount(): number;
  /** Streams released pins that are not settled. */
  released(): AsyncIterable<ReleasedPin>;
  /** Forgets a released pin that was removed, or that a request needs. In the latter case it stays if no request does any more. */
  settleReleased(released: ReleasedPin, how: { readonly isNeeded: boolean }): Promise<void>;
  /** Reports whether a request of the account names a CID or holds its pin. */
  isReferenced(account: string, cid: CID): boolean;
  /** Takes the right to process the queue. Resolves to undefined while another process has it. */
  tryLockQueue(): Promise<CollectionLock | undefined>;
  close(): Promise<void>;
}
