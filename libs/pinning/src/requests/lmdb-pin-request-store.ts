import { CID, parseCid } from '@cairn/cid';
import { type Database, Environment, Lease, prefixEnd } from '@cairn/embedded-store';
import { PinRequestNotFoundError, PinRequestsFullError } from '../errors.ts';
import { LmdbPinTables } from '../lmdb-pin-tables.ts';
import { accountPrefix, decode, encode, inPages } from '../pin-records.ts';
import type { CollectionLock } from '../pin-store.ts';
import { pinsFormat } from '../pins-format.ts';
import { LmdbWebhookOutbox } from '../webhooks/webhook-outbox.ts';
import type { DueRange } from './due-range.ts';
import { type NewPinRequest, type PinRequest, type PinRequestOutcome, pinRequestLimits } from './pin-request.ts';
import {
  accountOf,
  accountsIn,
  cidKeyOf,
  cidPrefix,
  decodeRequest,
  encodeRequest,
  idAtEnd,
  idBytesOf,
  noRequests,
  openKey,
  queuedRequest,
  type RequestCounts,
  referencedCids,
  requestKey,
  uint64,
} from './pin-request-records.ts';
import type { PinRequestRange, PinRequestStore, ReleasedPin } from './pin-request-store.ts';

const present = Buffer.of(1);
/** Requests that are read in one turn of the event loop, about 3 ms. */
const pageLength = 64;

/**
 * Pin requests in LMDB, in the environment of the pins. Tables: `requests` by account and id, `request-cids` by account, CID
 * and id, `request-queue` by account, time of the next attempt and id, `request-counts` by account, and `request-releases` by
 * account and CID.
 */
class LmdbPinRequestStore implements PinRequestStore {
  readonly webhooks: LmdbWebhookOutbox;
  readonly #environment: Environment;
  readonly #requests: Database;
  readonly #cids: Database;
  readonly #queue: Database;
  readonly #counts: Database;
  readonly #releases: Database;
  readonly #pins: LmdbPinTables;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#environment = environment;
    this.#requests = environment.database('requests');
    this.#cids = environment.database('request-cids');
    this.#queue = environment.database('request-queue');
    this.#counts = environment.database('request-counts');
    this.#releases = environment.database('request-releases');
    this.#pins = new LmdbPinTables(environment);
    this.#now = now;
    this.webhooks = new LmdbWebhookOutbox(environment, now);
  }

  async add(
    account: string,
    request: NewPinRequest,
    { replaces }: { readonly replaces?: string } = {},
  ): Promise<PinRequest> {
    return await this.#environment.transaction(() => {
      const replaced = replaces === undefined ? undefined : this.#require(account, replaces);
      if (replaced !== undefined) this.#erase(replaced);
      this.#assertRoom(account);
      const createdAt = this.#nextTime(account, replaced);
      const added = queuedRequest(request, { account, createdAt, dueAt: this.#now(), replaced });
      this.#write(added);
      this.#count(account, { requests: 1, open: 1 });
      for (const cid of referencedCids(added)) this.#cids.put(cidKeyOf(account, cid, idOf(added)), present);
      // A pin that the new request holds stays; it is released again when the request is final.
      if (replaced) this.#release(replaced, replaced.cid);
      return added;
    });
  }

  /** Returns a time after those of all requests of the account, also where the clock was set back. */
  #nextTime(account: string, replaced: PinRequest | undefined): number {
    const prefix = accountPrefix(account);
    const end = prefixEnd(prefix);
    const last = this.#requests.last({ start: prefix, ...(end && { end }) });
    const latest = last ? decodeRequest(last.key, last.value).createdAt : 0;
    return Math.max(this.#now() * 1000, latest + 1, (replaced?.createdAt ?? 0) + 1);
  }

  #assertRoom(account: string): void {
    const { requests, open } = this.#countsOf(account);
    const { requestsMax, openMax } = pinRequestLimits;
    if (open >= openMax) throw new PinRequestsFullError(`${open} open pin requests`, openMax);
    if (requests >= requestsMax) throw new PinRequestsFullError(`${requests} pin requests`, requestsMax);
  }

  async remove(account: string, id: string): Promise<void> {
    await this.#environment.transaction(() => {
      const request = this.#require(account, id);
      this.#erase(request);
      for (const cid of referencedCids(request)) this.#release(request, cid.toString());
    });
  }

  /** Removes a request from all tables. Its pins stay until they are released. */
  #erase(request: PinRequest): void {
    const { account } = request;
    this.#requests.remove(requestKey(account, idOf(request)));
    this.#unqueue(request);
    for (const cid of referencedCids(request)) this.#cids.remove(cidKeyOf(account, cid, idOf(request)));
    this.#count(account, { requests: -1, open: request.dueAt === undefined ? 0 : -1 });
  }

  #release({ account }: Pick<PinRequest, 'account'>, cid: string): void {
    this.#releases.put(cidPrefix(account, parseCid(cid)), present);
  }

  #write(request: PinRequest): void {
    this.#requests.put(requestKey(request.account, idOf(request)), encodeRequest(request));
    if (request.dueAt !== undefined) this.#queue.put(openKey(request.account, request.dueAt, idOf(request)), present);
  }

  #unqueue(request: PinRequest): void {
    if (request.dueAt !== undefined) this.#queue.remove(openKey(request.account, request.dueAt, idOf(request)));
  }

  #countsOf(account: string): RequestCounts {
    const found = this.#counts.get(accountPrefix(account));
    return found ? decode<RequestCounts>(found) : noRequests;
  }

  #count(account: string, change: RequestCounts): void {
    const { requests, open } = this.#countsOf(account);
    const counts: RequestCounts = { requests: requests + change.requests, open: open + change.open };
    this.#counts.put(accountPrefix(account), encode(counts));
  }

  #require(account: string, id: string): PinRequest {
    const found = this.#find(account, id);
    if (found === undefined) throw new PinRequestNotFoundError(id);
    return found;
  }

  #find(account: string, id: string): PinRequest | undefined {
    const bytes = idBytesOf(id);
    const key = bytes && requestKey(account, bytes);
    const found = key && this.#requests.get(key);
    return found && decodeRequest(key, found);
  }

  async get(account: string, id: string): Promise<PinRequest | undefined> {
    return this.#find(account, id);
  }

  async *list(account: string, { before, after }: PinRequestRange = {}): AsyncGenerator<PinRequest> {
    const prefix = accountPrefix(account);
    const bound = (time: number) => Buffer.concat([prefix, uint64(Math.max(0, time))]);
    const start = after === undefined ? prefix : bound(after + 1);
    let end = before === undefined ? prefixEnd(prefix) : bound(before);
    while (true) {
      const page = [...this.#requests.range({ start, ...(end && { end }), reverse: true, limit: pageLength })];
      for (const { key, value } of page) yield decodeRequest(key, value);
      end = page.at(-1)?.key;
      if (end === undefined || page.length < pageLength) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async *listOf(account: string, cid: CID): AsyncGenerator<PinRequest> {
    for await (const { key } of inPages(this.#cids, cidPrefix(account, cid))) {
      const found = this.#requests.get(requestKey(account, idAtEnd(key)));
      const request = found && decodeRequest(requestKey(account, idAtEnd(key)), found);
      if (request && parseCid(request.cid).equals(cid)) yield request;
    }
  }

  async begin(account: string, id: string): Promise<boolean> {
    return await this.#environment.transaction(() => {
      const request = this.#find(account, id);
      if (request?.dueAt === undefined) return false;
      if (request.status === 'pinning') return true;
      const pinning: PinRequest = { ...request, status: 'pinning' };
      this.#write(pinning);
      // Retries of a request are no news.
      if (request.attempts === 0) this.webhooks.record(pinning);
      return true;
    });
  }

  async report(account: string, id: string, progress: NonNullable<PinRequest['progress']>): Promise<void> {
    await this.#environment.transaction(() => {
      const request = this.#find(account, id);
      if (request?.dueAt !== undefined) this.#write({ ...request, progress });
    });
  }

  async finish({ account, id, cid }: PinRequest, outcome: PinRequestOutcome): Promise<PinRequest | undefined> {
    return await this.#environment.transaction(() => {
      const before = this.#find(account, id);
      if (before === undefined) {
        this.#release({ account }, cid);
        return undefined;
      }
      if (before.dueAt === undefined) return before;
      this.#unqueue(before);
      const { dueAt: _, holds, reason: __, ...kept } = before;
      if (outcome.status === 'queued') {
        const queued: PinRequest = { ...kept, ...outcome, attempts: before.attempts + 1, ...(holds && { holds }) };
        this.#write(queued);
        return queued;
      }
      const { progress: ___, ...lasting } = kept;
      const final: PinRequest = { ...lasting, ...outcome };
      this.#write(final);
      this.webhooks.record(final);
      this.#count(account, { requests: 0, open: -1 });
      if (holds !== undefined) this.#dropHeld(final, holds);
      return final;
    });
  }

  #dropHeld(request: PinRequest, holds: string): void {
    const held = parseCid(holds);
    if (held.equals(parseCid(request.cid))) return;
    this.#cids.remove(cidKeyOf(request.account, held, idOf(request)));
    this.#release(request, holds);
  }

  async firstDue({ after, now, except, exceptAccounts }: DueRange): Promise<PinRequest | undefined> {
    for await (const account of accountsIn(this.#queue, after)) {
      if (exceptAccounts.has(account)) continue;
      const prefix = accountPrefix(account);
      const end = Buffer.concat([prefix, uint64(now + 1)]);
      for (const key of this.#queue.keys({ start: prefix, end, limit: except.size + 1 })) {
        const id = Buffer.from(idAtEnd(key)).toString('hex');
        const request = except.has(id) ? undefined : this.#find(account, id);
        if (request) return request;
      }
    }
    return undefined;
  }

  async openCount(): Promise<number> {
    return this.#queue.count();
  }

  async *released(): AsyncGenerator<ReleasedPin> {
    for await (const { key } of inPages(this.#releases))
      yield { account: accountOf(key), cid: CID.decode(key.subarray(key.indexOf(0) + 1)) };
  }

  async settleReleased({ account, cid }: ReleasedPin): Promise<void> {
    await this.#environment.transaction(() => {
      if (!this.#isReferenced(account, cid) && this.#pins.get(account, cid)?.isRequested)
        this.#pins.remove(account, [cid]);
      this.#releases.remove(cidPrefix(account, cid));
    });
  }

  async isReferenced(account: string, cid: CID): Promise<boolean> {
    return this.#isReferenced(account, cid);
  }

  #isReferenced(account: string, cid: CID): boolean {
    const prefix = cidPrefix(account, cid);
    const end = prefixEnd(prefix);
    for (const _ of this.#cids.keys({ start: prefix, ...(end && { end }), limit: 1 })) return true;
    return false;
  }

  tryLockQueue(): Promise<CollectionLock | undefined> {
    return Lease.tryAcquire({ environment: this.#environment, name: 'pin-requests' });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

function idOf({ id }: Pick<PinRequest, 'id'>): Buffer {
  return Buffer.from(id, 'hex');
}

/**
 * Opens the pin requests in the LMDB environment of a pin store.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbPinRequestStore({
  directory,
  now = Date.now,
}: {
  readonly directory: string;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}): Promise<PinRequestStore> {
  return new LmdbPinRequestStore(await Environment.open({ directory, format: pinsFormat }), now);
}
