import { BlockNotFoundError, QuarantinedBlockError, type ReadOptions } from '@cairn/blockstore';
import { type CID, verifyBytesInBackground } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { BatchedLookups } from '@cairn/postgres';
import type { BlockRow, BlockRows } from './index/block-rows.ts';
import { blockKey, keyOfMultihash } from './index/multihash.ts';
import { RecentRows } from './recent-rows.ts';
import type { BlockLocation, PackReader, PackWriter } from './types.ts';

export interface PackReadsOptions {
  /** Milliseconds for which `get` uses a row again without a lookup. Default 0. */
  readonly rowAgeMsMax?: number | undefined;
  /** Reports whether the bucket has packs beside this one: in a wrong bucket all packs are missing. Default: it has none. */
  readonly hasOtherPacks?: ((pack: string) => Promise<boolean>) | undefined;
}

/** Reads of pending and stored blocks. */
export class PackReads {
  readonly #hasOtherPacks: (pack: string) => Promise<boolean>;
  readonly #rows: BlockRows;
  readonly #writer: PackWriter;
  readonly #reader: PackReader;
  readonly #lookups: BatchedLookups<CID, BlockRow>;
  readonly #recent: RecentRows;

  constructor(rows: BlockRows, writer: PackWriter, reader: PackReader, options: PackReadsOptions = {}) {
    const { rowAgeMsMax = 0, hasOtherPacks = async () => false } = options;
    this.#hasOtherPacks = hasOtherPacks;
    this.#rows = rows;
    this.#writer = writer;
    this.#reader = reader;
    this.#recent = new RecentRows(rowAgeMsMax);
    this.#lookups = new BatchedLookups((cids) => this.#find(cids));
  }

  async get(cid: CID, options: ReadOptions = {}): Promise<Uint8Array> {
    options.signal?.throwIfAborted();
    const pending = this.#writer.pending(cid.multihash.bytes);
    if (pending) {
      await verifyBytesInBackground(cid, pending);
      return pending;
    }
    const row = await this.#rowOf(cid);
    options.signal?.throwIfAborted();
    if (row === undefined) throw new BlockNotFoundError(cid.toString());
    if (row.is_quarantined) throw new QuarantinedBlockError(cid.toString());
    try {
      return await this.#reader.get(locationOf(cid, row), options);
    } catch (error) {
      options.signal?.throwIfAborted();
      return await this.#getAgain(cid, row, error, options);
    }
  }

  async #rowOf(cid: CID): Promise<BlockRow | undefined> {
    const key = blockKey(cid);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const { forgotten } = this.#recent;
    const row = await this.#lookups.one(cid);
    if (row !== undefined) this.#recent.keep(key, row, forgotten);
    return row;
  }

  /** Makes the next read of removed or quarantined blocks look them up. */
  forget(cids: readonly CID[]): void {
    this.#recent.forget(cids.map(blockKey));
  }

  /**
   * Reads a block whose pack was rewritten and deleted since the lookup. A block with corrupt bytes or a lost pack is quarantined, so
   * that adding its content again repairs it. @throws the first error if its place is the same and its bytes may exist
   */
  async #getAgain(cid: CID, before: BlockRow, error: unknown, options: ReadOptions): Promise<Uint8Array> {
    this.forget([cid]);
    const [row] = await this.#find([cid]);
    if (row === undefined) throw new BlockNotFoundError(cid.toString());
    if (row.is_quarantined) throw new QuarantinedBlockError(cid.toString());
    if (row.pack === before.pack && row.start === before.start) {
      if (!(await this.#isLoss(error, row.pack))) throw error;
      // The reader has read the bytes twice. The block must not be served, even when the quarantine cannot be written.
      await this.#rows.quarantineAt(locationOf(cid, row)).catch(() => {});
      throw new QuarantinedBlockError(cid.toString());
    }
    return await this.#reader.get(locationOf(cid, row), options);
  }

  /** Reports whether an error says that the bytes of a block are lost. */
  async #isLoss(error: unknown, pack: string): Promise<boolean> {
    if (isCairnError(error, 'PACK_CORRUPT')) return true;
    return isCairnError(error, 'OBJECT_NOT_FOUND') && (await this.#hasOtherPacks(pack));
  }

  async getMany(cids: readonly CID[]): Promise<(Uint8Array | undefined)[]> {
    const pending = this.#pending(cids);
    const rows = await this.#find(cids);
    const stored = cids.flatMap((cid, at) => {
      const row = rows[at];
      return pending[at] || row === undefined || row.is_quarantined ? [] : [locationOf(cid, row)];
    });
    const bytes = await this.#readMany(stored);
    return cids.map((cid, at) => pending[at] ?? bytes.get(blockKey(cid)));
  }

  /** Returns pending blocks. Call it before a lookup: a block is pending until its row exists. */
  #pending(cids: readonly CID[]): (Uint8Array | undefined)[] {
    return cids.map(({ multihash }) => this.#writer.pending(multihash.bytes));
  }

  async #readMany(locations: readonly BlockLocation[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    try {
      const read = await this.#reader.getMany(locations);
      for (const [at, bytes] of read.entries()) {
        const cid = locations[at]?.cid;
        if (cid) found.set(blockKey(cid), bytes);
      }
    } catch {
      // Reads each block by itself, which finds moved blocks and names a faulty one.
      for (const { cid } of locations) {
        const bytes = await this.get(cid).catch((error: unknown) => {
          if (isCairnError(error, 'BLOCK_NOT_FOUND') || isCairnError(error, 'BLOCK_CORRUPT')) return undefined;
          throw error;
        });
        if (bytes) found.set(blockKey(cid), bytes);
      }
    }
    return found;
  }

  /** Returns the length of a block; undefined where it is absent or in quarantine. */
  async lengthOf(cid: CID): Promise<number | undefined> {
    const pending = this.#writer.pending(cid.multihash.bytes);
    if (pending) return pending.length;
    const row = await this.#lookups.one(cid);
    return row?.is_quarantined ? undefined : row?.length;
  }

  async sizeMany(cids: readonly CID[]): Promise<(number | undefined)[]> {
    const pending = this.#pending(cids);
    const rows = await this.#find(cids);
    return rows.map((row, at) => pending[at]?.length ?? (row?.is_quarantined ? undefined : row?.length));
  }

  /** Looks up rows together with those of concurrent callers, in the order of `cids`. */
  rowsOf(cids: readonly CID[]): Promise<(BlockRow | undefined)[]> {
    return this.#lookups.many(cids);
  }

  /** Looks up rows in one statement, in the order of `cids`. */
  async #find(cids: readonly CID[]): Promise<(BlockRow | undefined)[]> {
    if (cids.length === 0) return [];
    const found = await this.#rows.find(cids.map(({ multihash }) => multihash.bytes));
    const rows = new Map(found.map((row) => [keyOfMultihash(row.multihash), row]));
    return cids.map((cid) => rows.get(blockKey(cid)));
  }
}

function locationOf(cid: CID, { pack, start, length }: BlockRow): BlockLocation {
  return { cid, pack, offset: start, length };
}
