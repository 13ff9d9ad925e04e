import type { Principal } from '@cairn/auth';
import { parseCid } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { type Pin, Pinning, type PinRequest, PinRequestNotFoundError, type PinRequestStore } from '@cairn/pinning';
import { timeLimit } from '@cairn/platform';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { PeerIdentity } from '../api-v0/node/peer-identity.ts';
import { workOf } from '../api-v0/with-work.ts';
import type { StorageSettings } from '../settings.ts';
import { parsePin } from './parse-pin.ts';
import { type PinFilter, parsePinFilter, passesFilter } from './pin-filter.ts';
import { PinQueueRunner } from './pin-queue-runner.ts';
import { PIN_REQUEST_STORE } from './pin-request-store.token.ts';
import { formatTime } from './rfc3339.ts';

/** Milliseconds that a response waits for the result of the first attempt, so that stored content is `pinned` in it. */
const firstAttemptMs = 250;
/** Milliseconds for which the addresses of the peer are kept, and for which a response waits for them. */
const describeMs = 10_000;
const describeTimeoutMs = 1000;
/** Delegates of a response, as the specification limits them. */
const delegatesMax = 20;
/** Requests that a listing reads for the price of one visited block. */
const requestsPerVisit = 256;

/** A request with the state of its pin. */
interface CurrentRequest {
  readonly request: PinRequest;
  readonly pin: Pin | undefined;
}

/** Object `PinStatus` of the specification. */
export interface PinStatusObject {
  readonly requestid: string;
  readonly status: PinRequest['status'];
  readonly created: string;
  readonly pin: Pick<PinRequest, 'cid' | 'name' | 'origins' | 'meta'>;
  readonly delegates: readonly string[];
  readonly info?: Readonly<Record<string, string>>;
}

/** Object `PinResults` of the specification. */
export interface PinResultsObject {
  readonly count: number;
  readonly results: readonly PinStatusObject[];
}

/** Pin requests of accounts in the objects of the specification. */
@Injectable()
export class PinRequests {
  #addresses: readonly string[] = [];
  #describedAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(PIN_REQUEST_STORE) private readonly requests: PinRequestStore,
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(PinQueueRunner) private readonly runner: PinQueueRunner,
    @Inject(PeerIdentity) private readonly identity: PeerIdentity,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
  ) {}

  /** Creates a request, or replaces one. @throws ApiError 400, PIN_REQUEST_NOT_FOUND, PIN_REQUESTS_FULL */
  async add({ account, key }: Principal, body: unknown, replaces?: string): Promise<PinStatusObject> {
    const wanted = { ...parsePin(body), key: key.reference };
    const options = replaces === undefined ? {} : { replaces };
    const { id } = await this.requests.add(account.id, wanted, options);
    if (replaces !== undefined) this.runner.queue.cancel(replaces);
    await this.runner.queue.settled(id, firstAttemptMs);
    return await this.get(account.id, id);
  }

  /** @throws PIN_REQUEST_NOT_FOUND */
  async remove(account: string, id: string): Promise<void> {
    await this.requests.remove(account, id);
    this.runner.queue.cancel(id);
  }

  /** @throws PIN_REQUEST_NOT_FOUND */
  async get(account: string, id: string): Promise<PinStatusObject> {
    const request = await this.require(account, id);
    return this.#statusOf(await this.#current(request), await this.#delegates());
  }

  /** Returns a request of an account. @throws PIN_REQUEST_NOT_FOUND */
  async require(account: string, id: string): Promise<PinRequest> {
    const request = await this.requests.get(account, id);
    if (request === undefined) throw new PinRequestNotFoundError(id);
    return request;
  }

  /** Lists requests, the newest first, and counts all that pass the filters. @throws ApiError 400 */
  async list(account: string, query: URLSearchParams, signal: AbortSignal): Promise<PinResultsObject> {
    const filter = parsePinFilter(query);
    const delegates = await this.#delegates();
    const results: PinStatusObject[] = [];
    let count = 0;
    let read = 0;
    for await (const request of this.#candidates(account, filter)) {
      signal.throwIfAborted();
      if (++read % requestsPerVisit === 0) workOf(signal)?.visits(1);
      const current = await this.#current(request);
      if (!passesFilter(request, currentStatus(current), filter)) continue;
      count++;
      if (results.length >= filter.limit) continue;
      workOf(signal)?.line();
      results.push(this.#statusOf(current, delegates));
    }
    return { count, results };
  }

  /** Streams requests within the times of a filter and for its CIDs, the newest first. */
  async *#candidates(account: string, { cids, before, after }: PinFilter): AsyncGenerator<PinRequest> {
    if (cids === undefined) return yield* this.requests.list(account, { before, after });
    const found: PinRequest[] = [];
    for (const cid of cids) for await (const request of this.requests.listOf(account, cid)) found.push(request);
    found.sort((one, other) => other.createdAt - one.createdAt);
    for (const request of found)
      if (request.createdAt < (before ?? Number.POSITIVE_INFINITY) && request.createdAt > (after ?? -1)) yield request;
  }

  async #current(request: PinRequest): Promise<CurrentRequest> {
    if (request.status !== 'pinned') return { request, pin: undefined };
    const pin = await this.pinning.get(request.account, parseCid(request.cid));
    return { request, pin: pin?.mode === 'recursive' ? pin : undefined };
  }

  #statusOf(current: CurrentRequest, delegates: readonly string[]): PinStatusObject {
    const { id, createdAt, cid, name, origins, meta } = current.request;
    const info = infoOf(current);
    return {
      requestid: id,
      status: currentStatus(current),
      created: formatTime(createdAt),
      pin: { cid, name, origins, meta },
      delegates,
      ...(info && { info }),
    };
  }

  async #delegates(): Promise<readonly string[]> {
    const { STORAGE_PIN_DELEGATES: delegates } = this.settings;
    return delegates?.split(',') ?? (await this.#peerAddresses()) ?? [`/p2p/${(await this.identity.get()).id}`];
  }

  /** Returns the addresses of the peer; `undefined` while it does not answer. */
  async #peerAddresses(): Promise<readonly string[] | undefined> {
    if (this.peer === undefined) return undefined;
    if (performance.now() - this.#describedAt > describeMs) {
      this.#describedAt = performance.now();
      const signal = timeLimit(describeTimeoutMs);
      this.#addresses = await this.peer.describe(undefined, { signal }).then(
        ({ addresses }) => addresses.slice(0, delegatesMax),
        () => this.#addresses,
      );
    }
    return this.#addresses.length > 0 ? this.#addresses : undefined;
  }
}

/** Returns the status of a request. A pin that was removed through `/api/v0` is not pinned any more. */
function currentStatus({ request, pin }: CurrentRequest): PinRequest['status'] {
  return request.status === 'pinned' && pin === undefined ? 'failed' : request.status;
}

function infoOf({ request, pin }: CurrentRequest): Record<string, string> | undefined {
  if (pin !== undefined) return { dag_size: String(pin.size.bytes) };
  const { status, reason, attempts, progress } = request;
  if (status === 'pinned')
    return { status_details: 'The pin was removed through /api/v0. Remove this request, or add it again.' };
  const size = progress && { blocks: String(progress.blocks), bytes: String(progress.bytes) };
  if (reason === undefined) return size;
  return {
    ...size,
    status_details: status === 'failed' ? reason : `Attempt ${attempts} failed and is retried: ${reason}`,
  };
}
