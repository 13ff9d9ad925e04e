// The hot path of every upload and download; lmdb-blockstore.bench.ts measures it against the bare disk.
import { CID, codecs, UnsupportedHashError } from '@cairn/cid';
import { Environment, limits as storeLimits } from '@cairn/embedded-store';
import { isCairnError } from '@cairn/errors';
import * as Digest from 'multiformats/hashes/digest';
import { BlockTables } from './block-tables.ts';
import type { Block, BlockstoreStats, PutOptions, ReadOptions } from './blockstore.ts';
import { Capacity, type CapacityOptions, type Fullness } from './capacity.ts';
import type { CollectableBlockstore, Hold, SweepOptions, SweepStep } from './collectable.ts';
import { BlockNotFoundError, BlockTooLargeError, CycleOverError, QuarantinedBlockError } from './errors.ts';
import { Holds } from './holds.ts';
import type { IndexRecord } from './index-record.ts';
import { isMarked } from './is-marked.ts';
import { limits } from './limits.ts';
import { WriteQueue } from './write-queue.ts';

export interface LmdbBlockstoreOptions extends CapacityOptions {
  /** Directory of the LMDB environment; made when absent. Several processes may open it at once. */
  readonly directory: string;
  readonly blockBytesMax?: number;
  readonly pendingBytesMax?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

const keysPerRead = 256;

/** The store of {@link openLmdbBlockstore}. */
export interface LmdbBlockstore extends CollectableBlockstore {
  /** How much it holds of what it may hold. Cheap. */
  fullness(): Fullness;
}

class LmdbStore implements LmdbBlockstore {
  readonly #environment: Environment;
  readonly #tables: BlockTables;
  readonly #queue: WriteQueue;
  readonly #holds: Holds;
  readonly #capacity: Capacity;
  readonly #blockBytesMax: number;
  readonly #listeners: ((cids: readonly CID[]) => void)[] = [];

  constructor(environment: Environment, options: LmdbBlockstoreOptions) {
    const { now = Date.now } = options;
    this.#environment = environment;
    this.#tables = new BlockTables(environment, now);
    this.#holds = new Holds(environment, () => this.#tables.cycle().number, now);
    this.#queue = new WriteQueue(
      (entries) => environment.transaction(() => this.#tables.put(entries)),
      options.pendingBytesMax ?? limits.pendingBytesMax,
    );
    this.#capacity = new Capacity(environment.directory, options);
    this.#blockBytesMax = options.blockBytesMax ?? limits.blockBytesMax;
  }

  async get(cid: CID, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const bytes = this.#queue.get(cid) ?? this.#stored(cid);
    if (bytes === undefined) throw new BlockNotFoundError(cid.toString());
    return bytes;
  }

  /** Both reads are of one turn, so of one snapshot. */
  #stored(cid: CID): Uint8Array | undefined {
    const record = this.#tables.record(cid.multihash.bytes);
    if (record?.isQuarantined) throw new QuarantinedBlockError(cid.toString());
    return record && this.#tables.bytes(record);
  }

  async has(cid: CID): Promise<boolean> {
    return this.#lengthOf(cid) !== undefined;
  }

  async size(cid: CID): Promise<number> {
    const length = this.#lengthOf(cid);
    if (length === undefined) throw new BlockNotFoundError(cid.toString());
    return length;
  }

  #lengthOf(cid: CID): number | undefined {
    const pending = this.#queue.get(cid);
    if (pending) return pending.length;
    const record = this.#tables.record(cid.multihash.bytes);
    return record?.isQuarantined ? undefined : record?.length;
  }

  async putMany(blocks: readonly Block[], { owner = 0 }: PutOptions = {}): Promise<void> {
    let sum = 0;
    for (const { cid, bytes } of blocks) {
      if (bytes.length > this.#blockBytesMax) {
        throw new BlockTooLargeError(cid.toString(), bytes.length, this.#blockBytesMax);
      }
      if (cid.multihash.bytes.length > storeLimits.keyBytesMax)
        throw new UnsupportedHashError(cid.multihash.code, 'is too long');
      sum += bytes.length;
    }
    try {
      this.#requireRoom(sum);
    } catch (error) {
      if (!isCairnError(error, 'STORE_FULL')) throw error;
      // What waits to be written may be here already, and so may these blocks: near the limit the exact sums decide.
      await this.#queue.settled();
      const added = blocks.filter(({ cid }) => this.#lengthOf(cid) === undefined);
      if (added.length > 0) this.#requireRoom(added.reduce((bytes, block) => bytes + block.bytes.length, 0));
    }
    await this.#queue.put(blocks, owner);
  }

  /** @throws STORE_FULL */
  #requireRoom(added: number): void {
    this.#capacity.check(Number(this.#tables.sums().bytes) + this.#queue.pendingBytes, added);
  }

  sync(): Promise<void> {
    return this.#queue.sync();
  }

  async delete(cid: CID): Promise<void> {
    await this.#queue.settled();
    this.#queue.forget(cid);
    await this.#environment.transaction(() => this.#tables.remove([cid.multihash.bytes]));
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    await this.#queue.settled();
    // In pages, each of its own snapshot: a walk over millions of keys must not pin old pages of the environment.
    yield* inPages((start) => this.#tables.page(start, keysPerRead).map(({ key }) => key), signal);
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#queue.settled();
    return { blocks: this.#tables.count(), bytes: Number(this.#tables.sums().bytes) };
  }

  fullness(): Fullness {
    return this.#capacity.fullness(Number(this.#tables.sums().bytes) + this.#queue.pendingBytes);
  }

  async cycle(): Promise<number> {
    return this.#tables.cycle().number;
  }

  hold(): Promise<Hold> {
    return this.#holds.take();
  }

  async touchMany(cids: readonly CID[], { owner = 0 }: PutOptions = {}): Promise<CID[]> {
    const cycle = this.#tables.cycle().number;
    const stale = cids.filter((cid) => {
      const record = this.#tables.record(cid.multihash.bytes);
      return record !== undefined && !this.#tables.isFresh(record, cycle, owner);
    });
    if (stale.length > 0) await this.#environment.transaction(() => this.#tables.touch(stale, owner));
    // Asked after the touch: what is here now stays, whatever a sweep did before.
    return cids.filter((cid) => this.#lengthOf(cid) === undefined);
  }

  beginCycle(): Promise<number> {
    return this.#environment.transaction(() => {
      const number = this.#tables.cycle().number + 1;
      this.#tables.putCycle({ number, keepFrom: this.#holds.oldest(number) });
      return number;
    });
  }

  async unmarked(cids: readonly CID[], cycle: number): Promise<CID[]> {
    return cids.filter(({ code, multihash }) => {
      const record = this.#tables.record(multihash.bytes);
      return record === undefined || !isMarked(record, code, cycle);
    });
  }

  async markMany(cids: readonly CID[], cycle: number): Promise<void> {
    await this.#environment.transaction(() => this.#tables.mark(cids, cycle));
  }

  async sweep({ cycle, graceSeconds, owner, start, limit }: SweepOptions): Promise<SweepStep> {
    const page = this.#tables.page(start, limit);
    const now = this.#tables.seconds();
    const isGarbage = (key: Uint8Array, keepFrom: number) => {
      const record = this.#tables.record(key);
      if (record === undefined || record.mark === cycle || record.touchedIn >= keepFrom) return false;
      return isOwn(record, owner) || Math.abs(now - record.touchedAt) >= graceSeconds;
    };
    const assertCurrent = () => {
      const current = this.#tables.cycle();
      if (current.number !== cycle) throw new CycleOverError(cycle, current.number);
      return current.keepFrom;
    };
    const keepFrom = assertCurrent();
    const candidates = page.filter(({ key }) => isGarbage(key, keepFrom));
    let removed: readonly CID[] = [];
    let ownRemoved: readonly CID[] = [];
    let bytes = 0;
    if (candidates.length > 0) {
      // Looked at again inside: one may have been touched since.
      const keys = await this.#environment.transaction(() => {
        const garbage = candidates.map(({ key }) => key).filter((key) => isGarbage(key, assertCurrent()));
        bytes = garbage.reduce((sum, key) => sum + (this.#tables.record(key)?.length ?? 0), 0);
        ownRemoved = garbage.filter((key) => isOwn(this.#tables.record(key), owner)).map(cidOfKey);
        this.#tables.remove(garbage);
        return garbage;
      });
      removed = keys.map(cidOfKey);
      for (const listener of this.#listeners) listener(removed);
    }
    const last = page.at(-1);
    return { removed, ownRemoved, bytes, next: last && page.length === limit ? after(last.key) : undefined };
  }

  async *owned(owner: number): AsyncGenerator<CID> {
    await this.#queue.settled();
    for await (const cid of this.keys()) if (this.#tables.record(cid.multihash.bytes)?.owner === owner) yield cid;
  }

  async letGo(cid: CID, { owner, remove }: { readonly owner: number; readonly remove: boolean }): Promise<boolean> {
    await this.#queue.settled();
    const isHere = await this.#environment.transaction(() => this.#tables.letGo(cid.multihash.bytes, owner, remove));
    if (isHere && remove) for (const listener of this.#listeners) listener([cid]);
    return isHere;
  }

  async quarantine(cid: CID): Promise<void> {
    await this.#environment.transaction(() => this.#tables.quarantine(cid.multihash.bytes));
  }

  quarantined(): AsyncIterable<CID> {
    return inPages((start) => this.#tables.quarantinePage(start, keysPerRead));
  }

  onRemoved(listener: (cids: readonly CID[]) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    await this.#queue.settled();
    await this.#holds.close();
    await this.#environment.close();
  }
}

function isOwn(record: Pick<IndexRecord, 'owner'> | undefined, owner: number | undefined): boolean {
  return owner !== undefined && owner !== 0 && record?.owner === owner;
}

/** Keys page by page as CIDs, with a turn of the event loop between. */
async function* inPages(
  read: (start: Uint8Array | undefined) => readonly Uint8Array[],
  signal?: AbortSignal,
): AsyncGenerator<CID> {
  let start: Uint8Array | undefined;
  while (true) {
    signal?.throwIfAborted();
    const page = read(start);
    for (const key of page) yield cidOfKey(key);
    const last = page.at(-1);
    if (last === undefined || page.length < keysPerRead) return;
    start = after(last);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function cidOfKey(key: Uint8Array): CID {
  return CID.createV1(codecs.raw, Digest.decode(key));
}

function after(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}

/**
 * Opens a block store in an LMDB environment.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbBlockstore(options: LmdbBlockstoreOptions): Promise<LmdbBlockstore> {
  const environment = await Environment.open({
    directory: options.directory,
    format: { name: 'cairn-blocks', version: 1 },
  });
  return new LmdbStore(environment, options);
}
