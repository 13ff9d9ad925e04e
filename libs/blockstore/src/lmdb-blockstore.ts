// Hot path of every upload and download. lmdb-blockstore.bench.ts compares it with a bare file.
import { type CID, codecs, UnsupportedHashError } from '@cairn/cid';
import { Environment, StoreError, limits as storeLimits } from '@cairn/embedded-store';
import { isCairnError } from '@cairn/errors';
import { BlockTables } from './block-tables.ts';
import { blocksFormat } from './blocks-format.ts';
import type { BatchReads, Block, BlockstoreStats, PutOptions, ReadOptions } from './blockstore.ts';
import type { BoundedBlockstore } from './bounded-blockstore.ts';
import type { BufferPool } from './buffer-pool.ts';
import { Capacity, type CapacityOptions, type Fullness } from './capacity.ts';
import type { Claim, ClaimOptions, DiscardResult } from './claims.ts';
import type { Hold, SweepOptions, SweepStep } from './collectable.ts';
import { BlockNotFoundError, BlockTooLargeError, QuarantinedBlockError } from './errors.ts';
import { Holds } from './holds.ts';
import { isMarked } from './is-marked.ts';
import { cidOfKey, cidPages, keysPerRead } from './key-pages.ts';
import { limits } from './limits.ts';
import { sweepTables } from './lmdb-sweep.ts';
import { type ProcessChannel, type SiblingStores, siblingStores } from './process-channel.ts';
import { WriteQueue } from './write-queue.ts';

export interface LmdbBlockstoreOptions extends CapacityOptions {
  /** Directory of the LMDB environment, created when absent. Several processes may open it concurrently. */
  readonly directory: string;
  readonly blockBytesMax?: number;
  readonly pendingBytesMax?: number;
  /** Messages to the other processes of a service. Default: it has none. */
  readonly channel?: ProcessChannel | undefined;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** Claims per transaction. Each takes about 100 µs. */
const cidsPerTransaction = 128;

class LmdbStore implements BoundedBlockstore, BatchReads {
  readonly #environment: Environment;
  readonly #tables: BlockTables;
  readonly #queue: WriteQueue;
  readonly #holds: Holds;
  readonly #capacity: Capacity;
  readonly #blockBytesMax: number;
  readonly #listeners: ((cids: readonly CID[]) => void)[] = [];
  readonly #quarantineListeners: ((cid: CID) => void)[] = [];
  readonly #siblings: SiblingStores | undefined;

  constructor(environment: Environment, options: LmdbBlockstoreOptions) {
    const { now = Date.now } = options;
    this.#environment = environment;
    this.#tables = new BlockTables(environment, now);
    this.#holds = new Holds(environment, () => this.#tables.control.cycle().number, now);
    this.#queue = new WriteQueue(
      (take) => environment.transaction(() => this.#tables.put(take())),
      options.pendingBytesMax ?? limits.pendingBytesMax,
    );
    this.#capacity = new Capacity(environment.directory, options);
    this.#blockBytesMax = options.blockBytesMax ?? limits.blockBytesMax;
    this.#siblings = siblingStores(options.channel, {
      dropRemoved: (cids) => this.#callListeners(cids),
      publishHolds: () => this.#holds.publish(),
    });
  }

  async get(cid: CID, { signal, buffers }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const bytes = this.#queue.get(cid) ?? this.#stored(cid, buffers);
    if (bytes === undefined) throw new BlockNotFoundError(cid.toString());
    return bytes;
  }

  async getMany(cids: readonly CID[]): Promise<(Uint8Array | undefined)[]> {
    return cids.map((cid) => {
      if (this.#lengthOf(cid) === undefined) return undefined;
      return this.#queue.get(cid) ?? this.#stored(cid);
    });
  }

  async sizeMany(cids: readonly CID[]): Promise<(number | undefined)[]> {
    return cids.map((cid) => this.#lengthOf(cid));
  }

  /** Makes both reads in one turn of the event loop, and so in one snapshot. */
  #stored(cid: CID, buffers?: BufferPool): Uint8Array | undefined {
    const record = this.#tables.record(cid.multihash.bytes);
    if (record?.isQuarantined) throw new QuarantinedBlockError(cid.toString());
    const lent = record && buffers?.take(record.length);
    if (record && lent) {
      if (this.#tables.copyTo(record, lent) === record.length) return lent;
      throw this.#lost(cid);
    }
    const bytes = record && this.#tables.bytes(record);
    if (record && bytes?.length !== record.length) throw this.#lost(cid);
    return bytes;
  }

  /** Creates the error for an indexed block whose bytes are missing or have another length. */
  #lost(cid: CID): StoreError {
    const { directory } = this.#environment;
    return new StoreError('STORE_CORRUPT', `The bytes of block ${cid} in ${directory} are missing or incomplete.`, {
      hint: 'Run `cairn verify`, then add the content again or restore a backup.',
      details: { directory, cid: cid.toString() },
    });
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
    const pending = this.#queue.lengthOf(cid);
    if (pending !== undefined) return pending;
    const record = this.#tables.record(cid.multihash.bytes);
    return record?.isQuarantined ? undefined : record?.length;
  }

  async putMany(blocks: readonly Block[], options?: PutOptions): Promise<void> {
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
      // Some blocks may already be stored. Near the limit, flush and count only new bytes.
      await this.#queue.settled();
      const added = blocks.filter(({ cid }) => this.#lengthOf(cid) === undefined);
      if (added.length > 0) this.#requireRoom(added.reduce((bytes, block) => bytes + block.bytes.length, 0));
    }
    await this.#queue.put(blocks, options);
  }

  /** @throws STORE_FULL */
  #requireRoom(added: number): void {
    this.#capacity.check(Number(this.#tables.control.sums().bytes) + this.#queue.pendingBytes, added);
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
    // One snapshot per page: a long walk in one snapshot would keep LMDB from reusing freed pages.
    yield* cidPages((start) => this.#tables.page(start, keysPerRead).map(({ key }) => key), signal);
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#queue.settled();
    return { blocks: this.#tables.count(), bytes: Number(this.#tables.control.sums().bytes) };
  }

  fullness(): Fullness {
    return this.#capacity.fullness(Number(this.#tables.control.sums().bytes) + this.#queue.pendingBytes);
  }

  async cycle(): Promise<number> {
    return this.#tables.control.collection();
  }

  hold({ owner = 0 }: PutOptions = {}): Promise<Hold> {
    return this.#holds.take(owner);
  }

  async touchMany(cids: readonly CID[], { owner = 0 }: PutOptions = {}): Promise<CID[]> {
    const cycle = this.#tables.control.cycle().number;
    const stale: CID[] = [];
    const unknown: CID[] = [];
    for (const cid of cids) {
      const record = this.#tables.record(cid.multihash.bytes);
      if (record === undefined || record.isQuarantined) unknown.push(cid);
      if (record !== undefined && !this.#tables.isFresh(record, cycle, owner)) stale.push(cid);
    }
    if (stale.length === 0) return unknown.filter((cid) => this.#lengthOf(cid) === undefined);
    await this.#environment.transaction(() => this.#tables.touch(stale, owner));
    // Looked up after the touch: a block that is stored now is safe from the sweep.
    return cids.filter((cid) => this.#lengthOf(cid) === undefined);
  }

  async leafLengths(cids: readonly CID[]): Promise<(number | undefined)[]> {
    return cids.map(({ code, multihash }) => {
      const record = this.#tables.record(multihash.bytes);
      if (record === undefined || record.isQuarantined) return undefined;
      return code === codecs.raw || (code === codecs['dag-pb'] && record.isPbLeaf) ? record.length : undefined;
    });
  }

  async claimMany(cids: readonly CID[], owner: number, options: ClaimOptions = {}): Promise<void> {
    // A claim of a block that is not stored does nothing. Both transactions usually share one commit.
    await this.#queue.requested();
    await this.#inTransactions(cids, (batch) => this.#tables.claim(batch, owner, options));
  }

  async unclaimMany(cids: readonly CID[], owner: number): Promise<void> {
    await this.#inTransactions(cids, (batch) => {
      for (const { multihash } of batch) this.#tables.unclaim(multihash.bytes, [owner]);
    });
  }

  /** Splits long lists, since a transaction blocks the event loop and a write session claims thousands of blocks. */
  async #inTransactions(cids: readonly CID[], change: (batch: readonly CID[]) => void): Promise<void> {
    for (let at = 0; at < cids.length; at += cidsPerTransaction)
      await this.#environment.transaction(() => change(cids.slice(at, at + cidsPerTransaction)));
  }

  async claimed(owner: number): Promise<BlockstoreStats> {
    return this.#tables.claims.sums(owner);
  }

  async *claims(owner: number): AsyncGenerator<Claim> {
    let last: Claim | undefined;
    do {
      const page = this.#tables.claims.page(owner, last?.cid.multihash.bytes, keysPerRead);
      yield* page;
      last = page.length === keysPerRead ? page.at(-1) : undefined;
      if (last) await new Promise((resolve) => setImmediate(resolve));
    } while (last);
  }

  async claimsAmong(cids: readonly CID[], owner: number): Promise<Claim[]> {
    if (!this.#tables.claims.hasAny(owner)) return [];
    return cids.flatMap(({ multihash }) => {
      const claim = this.#tables.claims.get(multihash.bytes, owner);
      return claim ? [{ cid: cidOfKey(multihash.bytes), ...claim }] : [];
    });
  }

  async beginDiscard(owner: number): Promise<number> {
    if (this.#siblings !== undefined) {
      // Other processes publish their holds within ten seconds. A new cycle first, since writes of the current one are spared.
      await this.#beginDiscard(owner);
      await this.#siblings.publishHolds();
    }
    return await this.#beginDiscard(owner);
  }

  #beginDiscard(owner: number): Promise<number> {
    return this.#environment.transaction(() => {
      const cycle = this.#tables.control.cycle();
      const number = cycle.number + 1;
      this.#tables.control.putCycle({ ...cycle, collection: this.#tables.control.collection(), number });
      return this.#holds.oldestOf(owner, number);
    });
  }

  async discardMany(
    cids: readonly CID[],
    options: { readonly owner: number; readonly keepFrom: number },
  ): Promise<DiscardResult[]> {
    await this.#queue.settled();
    const outcomes = await this.#environment.transaction(() =>
      cids.map(({ multihash }) => this.#tables.discard(multihash.bytes, options)),
    );
    await this.#notifyRemoved(cids.filter((_, index) => outcomes[index] === 'removed'));
    return outcomes;
  }

  disownAll(): Promise<void> {
    return this.#environment.transaction(() => this.#tables.control.disownAll());
  }

  async #notifyRemoved(cids: readonly CID[]): Promise<void> {
    if (cids.length === 0) return;
    this.#callListeners(cids);
    await this.#siblings?.dropRemoved(cids);
  }

  #callListeners(cids: readonly CID[]): void {
    for (const listener of this.#listeners) listener(cids);
  }

  beginCycle(): Promise<number> {
    return this.#environment.transaction(() => {
      const number = this.#tables.control.cycle().number + 1;
      this.#tables.control.putCycle({ number, collection: number, keepFrom: this.#holds.oldest(number) });
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

  async sweep(options: SweepOptions): Promise<SweepStep> {
    const step = await sweepTables(this.#environment, this.#tables, options);
    await this.#notifyRemoved(step.removed);
    return step;
  }

  async quarantine(cid: CID): Promise<void> {
    const isNew = await this.#environment.transaction(() => this.#tables.quarantine(cid.multihash.bytes));
    if (isNew) for (const listener of this.#quarantineListeners) listener(cid);
  }

  quarantined(): AsyncIterable<CID> {
    return cidPages((start) => this.#tables.quarantinePage(start, keysPerRead));
  }

  onQuarantined(listener: (cid: CID) => void): void {
    this.#quarantineListeners.push(listener);
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

/**
 * Opens a block store in an LMDB environment.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbBlockstore(options: LmdbBlockstoreOptions): Promise<BoundedBlockstore & BatchReads> {
  const environment = await Environment.open({
    directory: options.directory,
    format: blocksFormat,
  });
  return new LmdbStore(environment, options);
}
