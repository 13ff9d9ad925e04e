// The hot path of every upload and download; lmdb-blockstore.bench.ts measures it against the bare disk.
import { type CID, UnsupportedHashError } from '@cairn/cid';
import { Environment, StoreError, limits as storeLimits } from '@cairn/embedded-store';
import { isCairnError } from '@cairn/errors';
import { BlockTables } from './block-tables.ts';
import { blocksFormat } from './blocks-format.ts';
import type { Block, BlockstoreStats, PutOptions, ReadOptions } from './blockstore.ts';
import { Capacity, type CapacityOptions, type Fullness } from './capacity.ts';
import type { Claim, ClaimOptions, DiscardResult } from './claims.ts';
import type { CollectableBlockstore, Hold, SweepOptions, SweepStep } from './collectable.ts';
import { BlockNotFoundError, BlockTooLargeError, QuarantinedBlockError } from './errors.ts';
import { Holds } from './holds.ts';
import { isMarked } from './is-marked.ts';
import { cidOfKey, cidPages, keysPerRead } from './key-pages.ts';
import { limits } from './limits.ts';
import { sweepTables } from './lmdb-sweep.ts';
import { WriteQueue } from './write-queue.ts';

export interface LmdbBlockstoreOptions extends CapacityOptions {
  /** Directory of the LMDB environment; made when absent. Several processes may open it at once. */
  readonly directory: string;
  readonly blockBytesMax?: number;
  readonly pendingBytesMax?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** Claims that one transaction changes: each takes some 100 µs. */
const cidsPerTransaction = 128;

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
    const bytes = record && this.#tables.bytes(record);
    if (record && bytes?.length !== record.length) throw this.#lost(cid);
    return bytes;
  }

  /** The index has the block, and its bytes are not there or of another length. */
  #lost(cid: CID): StoreError {
    const { directory } = this.#environment;
    return new StoreError('STORE_CORRUPT', `The bytes of block ${cid} in ${directory} are lost.`, {
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
    yield* cidPages((start) => this.#tables.page(start, keysPerRead).map(({ key }) => key), signal);
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#queue.settled();
    return { blocks: this.#tables.count(), bytes: Number(this.#tables.sums().bytes) };
  }

  fullness(): Fullness {
    return this.#capacity.fullness(Number(this.#tables.sums().bytes) + this.#queue.pendingBytes);
  }

  async cycle(): Promise<number> {
    return this.#tables.collection();
  }

  hold({ owner = 0 }: PutOptions = {}): Promise<Hold> {
    return this.#holds.take(owner);
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

  async claimMany(cids: readonly CID[], owner: number, options: ClaimOptions = {}): Promise<void> {
    // The write of these blocks and this transaction usually are one commit.
    await this.#queue.begun();
    await this.#inTransactions(cids, (some) => this.#tables.claim(some, owner, options));
  }

  async unclaimMany(cids: readonly CID[], owner: number): Promise<void> {
    await this.#inTransactions(cids, (some) => {
      for (const { multihash } of some) this.#tables.unclaim(multihash.bytes, [owner]);
    });
  }

  /** Cuts long lists: a transaction runs in one go, and a session claims thousands of blocks. */
  async #inTransactions(cids: readonly CID[], change: (some: readonly CID[]) => void): Promise<void> {
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

  beginDiscard(owner: number): Promise<number> {
    return this.#environment.transaction(() => {
      const cycle = this.#tables.cycle();
      const number = cycle.number + 1;
      this.#tables.putCycle({ ...cycle, collection: this.#tables.collection(), number });
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
    this.#notifyRemoved(cids.filter((_, index) => outcomes[index] === 'removed'));
    return outcomes;
  }

  disownAll(): Promise<void> {
    return this.#environment.transaction(() => this.#tables.disownAll());
  }

  #notifyRemoved(cids: readonly CID[]): void {
    if (cids.length > 0) for (const listener of this.#listeners) listener(cids);
  }

  beginCycle(): Promise<number> {
    return this.#environment.transaction(() => {
      const number = this.#tables.cycle().number + 1;
      this.#tables.putCycle({ number, collection: number, keepFrom: this.#holds.oldest(number) });
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
    this.#notifyRemoved(step.removed);
    return step;
  }

  async quarantine(cid: CID): Promise<void> {
    await this.#environment.transaction(() => this.#tables.quarantine(cid.multihash.bytes));
  }

  quarantined(): AsyncIterable<CID> {
    return cidPages((start) => this.#tables.quarantinePage(start, keysPerRead));
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
export async function openLmdbBlockstore(options: LmdbBlockstoreOptions): Promise<LmdbBlockstore> {
  const environment = await Environment.open({
    directory: options.directory,
    format: blocksFormat,
  });
  return new LmdbStore(environment, options);
}
