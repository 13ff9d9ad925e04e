import type { CID } from '@cairn/cid';
import type { CollectionLock } from '../pin-store.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import type { DueRange } from './due-range.ts';
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
  /** Records that an attempt runs. Resolves to false if the request was removed, is final, or is begun by another process. */
  begin(account: string, id: string): Promise<boolean>;
  /** Records the progress of an attempt. Does nothing for a request that was removed or is final. */
  report(account: string, id: string, progress: NonNullable<PinRequest['progress']>): Promise<void>;
  /**
   * Records the result of an attempt. If the request was removed meanwhile, its pin is released instead, and the call
   * resolves to undefined. It also resolves to undefined, and changes nothing, if another process has begun the request again.
   */
  finish(request: PinRequest, outcome: PinRequestOutcome): Promise<PinRequest | undefined>;
  /**
   * Returns a due request that no other process has begun: of the first account after another one, in byte order, that has
   * such a request, the one that has been due for the longest time.
   */
  firstDue(range: DueRange): Promise<PinRequest | undefined>;
  /** Number of open requests of all accounts. */
  openCount(): Promise<number>;
  /** Streams released pins that are not settled. */
  released(): AsyncIterable<ReleasedPin>;
  /**
   * Settles a released pin in one change: removes it if a request created it and no request needs the CID, and forgets the
   * release.
   */
  settleReleased(released: ReleasedPin): Promise<void>;
  /** Reports whether any request of an account needs its pin of a CID. */
  isReferenced(account: string, cid: CID): Promise<boolean>;
  /**
   * Takes the right to process requests. Resolves to undefined while another process has it, in stores where one process
   * processes all of them. In other stores each process has it, and `begin` takes one request. If a process ends or does not
   * renew the right, others begin its requests again.
   */
  tryLockQueue(): Promise<CollectionLock | undefined>;
  close(): Promise<void>;
}
