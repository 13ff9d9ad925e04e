import {
  type BatchReads,
  type Block,
  BlockNotFoundError,
  type BlockstoreStats,
  BlockTooLargeError,
  type BoundedBlockstore,
  limits as blockLimits,
  type Claim,
  type ClaimOptions,
  type DiscardResult,
  type Fullness,
  type Hold,
  type PutOptions,
  type ReadOptions,
  type SweepOptions,
  type SweepStep,
} from '@cairn/blockstore';
import { type CID, codecs, UnsupportedHashError } from '@cairn/cid';
import type { BlockIndex } from './index/block-index.ts';
import { type BlockRow, isFresh } from './index/block-rows.ts';
import { blockKey, cidOfMultihash, keyOfMultihash, multihashAfter } from './index/multihash.ts';
import { PackReads } from './pack-reads.ts';
import { StoredBytes } from './stored-bytes.ts';
import type { PackReader, PackWriter } from './types.ts';

/** Rows that a listing reads at a time. */
const pageRows = 512;
/** Longest multihash that PostgreSQL can index together with an owner. No supported hash function has a longer digest. */
const multihashBytesMax = 1024;

export interface PackStoreParts {
  readonly index: BlockIndex;
  readonly writer: PackWriter;
  readonly reader: PackReader;
  readonly bytesMax?: number | undefined;
  /** See `PackBlockstoreOptions`. */
  readonly rowAgeMsMax?: number | undefined;
  /** See `PackReadsOptions`. */
  readonly hasOtherPacks?: ((pack: string) => Promise<boolean>) | undefined;
  /** Called last by `close`. */
  readonly close?: () => Promise<void>;
}

/** Blocks in packs of an object store, with their index in PostgreSQL. */
export class PackBlockstore implements BoundedBlockstore, BatchReads {
  readonly verifiesReads = true;
  readonly #index: BlockIndex;
  readonly #writer: PackWriter;
  readonly #reads: PackReads;
  readonly #stored: StoredBytes;
  readonly #closeParts: (() => Promise<void>) | undefined;
  readonly #listeners: ((cids: readonly CID[]) => void)[] = [];

  constructor({ index, writer, reader, bytesMax, rowAgeMsMax, hasOtherPacks, close }: PackStoreParts) {
    this.#index = index;
    this.#writer = writer;
    this.#reads = new PackReads(index.blocks, writer, reader, { rowAgeMsMax, hasOtherPacks });
    this.#closeParts = close;
    this.#stored = new StoredBytes(async () => (await index.blocks.stats()).bytes, bytesMax);
  }

  get(cid: CID, options?: ReadOptions): Promise<Uint8Array> {
    return this.#reads.get(cid, options);
  }

  getMany(cids: readonly CID[]): Promise<(Uint8Array | undefined)[]> {
    return this.#reads.getMany(cids);
  }

  sizeMany(cids: readonly CID[]): Promise<(number | undefined)[]> {
    return this.#reads.sizeMany(cids);
  }

  async has(cid: CID): Promise<boolean> {
    return (await this.#reads.lengthOf(cid)) !== undefined;
  }

  async size(cid: CID): Promise<number> {
    const length = await this.#reads.lengthOf(cid);
    if (length === undefined) throw new BlockNotFoundError(cid.toString());
    return length;
  }

  async putMany(blocks: readonly Block[], { owner = 0, isLeaf }: PutOptions = {}): Promise<void> {
    for (const { cid, bytes } of blocks) {
      if (bytes.length > blockLimits.blockBytesMax)
        throw new BlockTooLargeError(cid.toString(), bytes.length, blockLimits.blockBytesMax);
      if (cid.multihash.bytes.length > multihashBytesMax)
        throw new UnsupportedHashError(cid.multihash.code, 'is too long');
    }
    const isPbLeaf = (block: Block) => block.cid.code === codecs['dag-pb'] && isLeaf?.(block) === true;
    const leaves = new Set(isLeaf ? cidsOf(blocks.filter(isPbLeaf)).map(blockKey) : []);
    const missing = new Set((await this.#touchMany(cidsOf(blocks), owner, leaves)).map(blockKey));
    const added = blocks.filter(({ cid }) => missing.has(blockKey(cid)));
    if (added.length > 0) {
      await this.#stored.check(
        added.reduce((sum, { bytes }) => sum + bytes.length, 0),
        this.#writer,
      );
      await this.#writer.add(added, owner, ({ cid }) => leaves.has(blockKey(cid)));
    }
    // The writer has copied the bytes.
    for (const { bytes, lentBy } of blocks) lentBy?.giveBack(bytes);
  }

  sync(): Promise<void> {
    return this.#writer.flush();
  }

  /** Waits for pending blocks, so that a statement sees them. */
  async #settle(): Promise<void> {
    if (this.#writer.pendingBytes > 0) await this.#writer.flush();
  }

  async delete(cid: CID): Promise<void> {
    await this.#settle();
    await this.#index.blocks.delete(cid.multihash.bytes);
    this.#reads.forget([cid]);
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    await this.#settle();
    yield* this.#pages((start) => this.#index.blocks.page(start, pageRows), signal);
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#settle();
    return await this.#index.blocks.stats();
  }

  fullness(): Fullness {
    return this.#stored.fullness(this.#writer.pendingBytes);
  }

  async cycle(): Promise<number> {
    return (await this.#index.cycle.read()).collection;
  }

  hold({ owner = 0 }: PutOptions = {}): Promise<Hold> {
    return this.#index.holds.take(owner);
  }

  touchMany(cids: readonly CID[], { owner = 0 }: PutOptions = {}): Promise<CID[]> {
    return this.#touchMany(cids, owner, new Set());
  }

  /** @param leaves keys of blocks that have no links as nodes of the codec dag-pb */
  async #touchMany(cids: readonly CID[], owner: number, leaves: ReadonlySet<string>): Promise<CID[]> {
    const pending = new Map<string, Block>();
    for (const cid of cids) {
      const bytes = this.#writer.pending(cid.multihash.bytes);
      if (bytes) pending.set(blockKey(cid), { cid, bytes });
    }
    // A pending block is not written twice. It becomes a block of this owner too.
    if (pending.size > 0) await this.#writer.add([...pending.values()], owner, ({ cid }) => leaves.has(blockKey(cid)));
    const known = await this.#reads.rowsOf(cids.filter((cid) => !pending.has(blockKey(cid))));
    const stored = known.filter((row) => row !== undefined);
    const isNewLeaf = (row: BlockRow) => !row.is_pb_leaf && leaves.has(keyOfMultihash(row.multihash));
    const isCurrent = (row: BlockRow) => isFresh(row, owner) && !isNewLeaf(row);
    const stale = stored.filter((row) => !isCurrent(row));
    const touched = new Set(stored.filter(isCurrent).map(({ multihash }) => keyOfMultihash(multihash)));
    const staleHashes = stale.map(({ multihash }) => multihash);
    const newLeaves = stale.filter(isNewLeaf).map(({ multihash }) => multihash);
    if (stale.length > 0)
      for (const multihash of await this.#index.blocks.touch(staleHashes, owner, newLeaves))
        touched.add(keyOfMultihash(multihash));
    for (const { is_quarantined, multihash } of stored) if (is_quarantined) touched.delete(keyOfMultihash(multihash));
    return cids.filter((cid) => !pending.has(blockKey(cid)) && !touched.has(blockKey(cid)));
  }

  async leafLengths(cids: readonly CID[]): Promise<(number | undefined)[]> {
    const rows = await this.#reads.rowsOf(cids);
    return rows.map((row, at) => {
      const code = cids[at]?.code;
      if (row === undefined || row.is_quarantined) return undefined;
      return code === codecs.raw || (code === codecs['dag-pb'] && row.is_pb_leaf) ? row.length : undefined;
    });
  }

  async claimMany(
    cids: readonly CID[],
    owner: number,
    { isLeftover = false, isBestEffort = false }: ClaimOptions = {},
  ): Promise<void> {
    if (cids.length === 0) return;
    const isWaiting = !(isBestEffort && this.#writer.isFailing);
    if (isWaiting && cids.some(({ multihash }) => this.#writer.pending(multihash.bytes))) await this.#writer.flush();
    await this.#index.claims.claim(distinct(cids), owner, !isLeftover);
  }

  async unclaimMany(cids: readonly CID[], owner: number): Promise<void> {
    if (cids.length > 0) await this.#index.claims.unclaim(distinct(cids), owner);
  }

  claimed(owner: number): Promise<BlockstoreStats> {
    return this.#index.claims.sums(owner);
  }

  async *claims(owner: number): AsyncGenerator<Claim> {
    let last: Claim | undefined;
    do {
      const page = await this.#index.claims.page(owner, last?.cid.multihash.bytes, pageRows);
      yield* page;
      last = page.length === pageRows ? page.at(-1) : undefined;
    } while (last);
  }

  async claimsAmong(cids: readonly CID[], owner: number): Promise<Claim[]> {
    if (cids.length === 0) return [];
    const found = await this.#index.claims.among(distinct(cids), owner);
    const claims = new Map(found.map((claim) => [blockKey(claim.cid), claim]));
    return cids.flatMap((cid) => claims.get(blockKey(cid)) ?? []);
  }

  beginDiscard(owner: number): Promise<number> {
    return this.#index.beginDiscard(owner);
  }

  async discardMany(
    cids: readonly CID[],
    { owner, keepFrom }: { readonly owner: number; readonly keepFrom: number },
  ): Promise<DiscardResult[]> {
    if (cids.length === 0) return [];
    await this.#settle();
    const results = await this.#index.collection.discard(cids, owner, keepFrom);
    this.#notifyRemoved(cids.filter((_, index) => results[index] === 'removed'));
    return results;
  }

  async disownAll(): Promise<void> {
    await this.#settle();
    await this.#index.cycle.disownAll();
  }

  #notifyRemoved(cids: readonly CID[]): void {
    if (cids.length === 0) return;
    this.#reads.forget(cids);
    for (const listener of this.#listeners) listener(cids);
  }

  beginCycle(): Promise<number> {
    return this.#index.beginCycle();
  }

  async unmarked(cids: readonly CID[], cycle: number): Promise<CID[]> {
    return cids.length === 0 ? [] : await this.#index.collection.unmarked(cids, cycle);
  }

  async markMany(cids: readonly CID[], cycle: number): Promise<void> {
    if (cids.length > 0) await this.#index.collection.mark(cids, cycle);
  }

  async sweep(options: SweepOptions): Promise<SweepStep> {
    const step = await this.#index.collection.sweep(options);
    this.#notifyRemoved(step.removed);
    return step;
  }

  async quarantine(cid: CID): Promise<void> {
    await this.#index.blocks.quarantine(cid);
    this.#reads.forget([cid]);
  }

  quarantined(): AsyncIterable<CID> {
    return this.#pages((start) => this.#index.blocks.quarantinePage(start, pageRows));
  }

  onQuarantined(listener: (cid: CID) => void): void {
    this.#index.blocks.onQuarantined(listener);
  }

  onRemoved(listener: (cids: readonly CID[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Lists multihashes page by page, each as a CIDv1 of the raw codec. */
  async *#pages(
    read: (start: Uint8Array | undefined) => Promise<readonly Uint8Array[]>,
    signal?: AbortSignal,
  ): AsyncGenerator<CID> {
    let start: Uint8Array | undefined;
    do {
      signal?.throwIfAborted();
      const page = await read(start);
      for (const multihash of page) yield cidOfMultihash(multihash);
      const last = page.length === pageRows ? page.at(-1) : undefined;
      start = last && multihashAfter(last);
    } while (start);
  }

  /** @throws the error of a failed write, after everything is closed */
  async close(): Promise<void> {
    try {
      await this.#settle();
    } finally {
      await this.#writer.close();
      await this.#index.close();
      await this.#closeParts?.();
    }
  }
}

function cidsOf(blocks: readonly Block[]): CID[] {
  return blocks.map(({ cid }) => cid);
}

/** Returns each multihash once: a statement may change a row once. */
function distinct(cids: readonly CID[]): Uint8Array[] {
  return [...new Map(cids.map((cid) => [blockKey(cid), cid.multihash.bytes])).values()];
}
