// The hot path of every upload and download; lmdb-blockstore.bench.ts measures it against the bare disk.
import { CID, codecs, UnsupportedHashError } from '@cairn/cid';
import { type Database, Environment, limits as storeLimits } from '@cairn/embedded-store';
import * as Digest from 'multiformats/hashes/digest';
import type { Block, Blockstore, BlockstoreStats, ReadOptions } from './blockstore.ts';
import { BlockNotFoundError, BlockTooLargeError } from './errors.ts';
import { limits } from './limits.ts';

export interface LmdbBlockstoreOptions {
  /** Directory of the LMDB environment; made when absent. Several processes may open it at once. */
  readonly directory: string;
  readonly blockBytesMax?: number;
  readonly pendingBytesMax?: number;
}

const sumsKey = Buffer.from('sums');
const keysPerRead = 256;

/** A block on its way to the disk, and its multihash in latin1. */
type Entry = readonly [key: string, block: Block];

/** What the index says of a block. */
interface Place {
  /** Its key among the blocks, 8 bytes. */
  readonly id: Uint8Array;
  readonly length: number;
}

/**
 * Blocks in an LMDB environment: an index from multihash to a running number and a length, and the bytes by number.
 *
 * Asking for a length or deleting a block thus reads none of its bytes, and blocks are appended: under random keys each
 * would touch its own page of a tree that lies scattered among the blocks, and the system maps 64 KiB around a page
 * touched, so that an upload would count its own size as resident memory. Sums are kept in the transaction that
 * changes them.
 */
class LmdbBlockstore implements Blockstore {
  readonly #environment: Environment;
  readonly #blocks: Database;
  readonly #index: Database;
  readonly #sums: Database;
  readonly #blockBytesMax: number;
  readonly #pendingBytesMax: number;
  /** Blocks that are not on the disk yet: readable at once, since `putMany` promises that. */
  readonly #pending = new Map<string, Uint8Array>();
  #pendingBytes = 0;
  #queue: Entry[] = [];
  /** The write that will take the queue. */
  #nextWrite: Promise<void> | undefined;
  /** Settles, never rejects, when every write started so far has. */
  #lastWrite: Promise<void> = Promise.resolve();
  /** Entries whose write failed. They stay pending, and every `sync` tries them again: whoever counts on one learns it. */
  #failed: Entry[] = [];
  #retrying: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(environment: Environment, options: LmdbBlockstoreOptions) {
    this.#environment = environment;
    this.#blocks = environment.database('blocks');
    this.#index = environment.database('index');
    this.#sums = environment.database('sums');
    this.#blockBytesMax = options.blockBytesMax ?? limits.blockBytesMax;
    this.#pendingBytesMax = options.pendingBytesMax ?? limits.pendingBytesMax;
  }

  async get(cid: CID, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const bytes = this.#pending.get(pendingKey(cid)) ?? this.#stored(cid.multihash.bytes);
    if (bytes === undefined) throw new BlockNotFoundError(cid.toString());
    return bytes;
  }

  /** Both reads are of one turn, so of one snapshot. */
  #stored(key: Uint8Array): Uint8Array | undefined {
    const place = this.#place(key);
    return place && this.#blocks.get(place.id);
  }

  #place(key: Uint8Array): Place | undefined {
    const place = this.#index.get(key);
    return place && { id: place.subarray(0, 8), length: Buffer.from(place).readUInt32BE(8) };
  }

  async has(cid: CID): Promise<boolean> {
    return this.#pending.has(pendingKey(cid)) || this.#index.has(cid.multihash.bytes);
  }

  async size(cid: CID): Promise<number> {
    const length = this.#pending.get(pendingKey(cid))?.length ?? this.#place(cid.multihash.bytes)?.length;
    if (length === undefined) throw new BlockNotFoundError(cid.toString());
    return length;
  }

  async putMany(blocks: readonly Block[]): Promise<void> {
    for (const { cid, bytes } of blocks) {
      if (bytes.length > this.#blockBytesMax) {
        throw new BlockTooLargeError(cid.toString(), bytes.length, this.#blockBytesMax);
      }
      if (cid.multihash.bytes.length > storeLimits.keyBytesMax)
        throw new UnsupportedHashError(cid.multihash.code, 'is too long');
    }
    while (true) {
      // While the disk takes nothing, no more is taken here either.
      if (this.#failed.length > 0) await this.sync();
      // Each looks again when woken: several writers of large blocks must not all squeeze through.
      else if (this.#pendingBytes > this.#pendingBytesMax)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else break;
    }
    const entries = this.#take(blocks);
    if (entries.length > 0) this.#start(entries);
  }

  /**
   * Blocks that are not under way yet, now counted and readable as pending. One that is on the disk is taken too: it may
   * be about to be deleted, and only the transaction sees that.
   */
  #take(blocks: readonly Block[]): Entry[] {
    const entries: Entry[] = [];
    for (const block of blocks) {
      const key = pendingKey(block.cid);
      if (this.#pending.has(key)) continue;
      entries.push([key, block]);
      this.#pending.set(key, block.bytes);
      this.#pendingBytes += block.bytes.length;
    }
    return entries;
  }

  /** One write at a time: what comes meanwhile goes together into the next, which keeps the disk busy and few pages mapped. */
  #start(entries: readonly Entry[]): void {
    this.#queue.push(...entries);
    this.#nextWrite ??= this.#lastWrite.then(() => this.#flush());
    this.#lastWrite = this.#nextWrite;
  }

  async #flush(): Promise<void> {
    const entries = this.#queue;
    this.#queue = [];
    this.#nextWrite = undefined;
    try {
      await this.#environment.transaction(() => this.#write(entries));
      this.#release(entries);
    } catch {
      // The reason that callers get is that of the next try: it may be another one by then.
      this.#failed.push(...entries);
    }
    this.#wake();
  }

  #release(entries: readonly Entry[]): void {
    for (const [key, { bytes }] of entries) {
      this.#pending.delete(key);
      this.#pendingBytes -= bytes.length;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  #write(entries: readonly Entry[]): void {
    const sums = this.#sumsNow();
    const added: (readonly [id: Uint8Array, bytes: Uint8Array])[] = [];
    // First the index, then the blocks: pages of the tree come to lie side by side.
    for (const [, { cid, bytes }] of entries) {
      const key = cid.multihash.bytes;
      if (this.#index.has(key)) continue;
      const place = Buffer.alloc(12);
      place.writeBigUInt64BE(sums.next++);
      place.writeUInt32BE(bytes.length, 8);
      this.#index.put(key, place);
      sums.bytes += BigInt(bytes.length);
      added.push([place.subarray(0, 8), bytes]);
    }
    if (added.length === 0) return;
    for (const [id, bytes] of added) this.#blocks.put(id, bytes);
    this.#putSums(sums);
  }

  /** Sum of all lengths, and the number of the next block. */
  #sumsNow(): { bytes: bigint; next: bigint } {
    const sums = this.#sums.get(sumsKey);
    if (sums === undefined) return { bytes: 0n, next: 0n };
    const buffer = Buffer.from(sums);
    return { bytes: buffer.readBigUInt64BE(), next: buffer.readBigUInt64BE(8) };
  }

  #putSums({ bytes, next }: { readonly bytes: bigint; readonly next: bigint }): void {
    const sums = Buffer.alloc(16);
    sums.writeBigUInt64BE(bytes);
    sums.writeBigUInt64BE(next, 8);
    this.#sums.put(sumsKey, sums);
  }

  async sync(): Promise<void> {
    await this.#lastWrite;
    while (this.#failed.length > 0) {
      // Shared by all who wait; it may have begun before the newest failure, which then takes another one.
      this.#retrying ??= this.#retry().finally(() => {
        this.#retrying = undefined;
      });
      await this.#retrying;
    }
  }

  async #retry(): Promise<void> {
    const entries = [...this.#failed];
    await this.#environment.transaction(() => this.#write(entries));
    const written = new Set(entries);
    // Those that were deleted meanwhile are no longer counted.
    this.#release(this.#failed.filter((entry) => written.has(entry)));
    this.#failed = this.#failed.filter((entry) => !written.has(entry));
    this.#wake();
  }

  async delete(cid: CID): Promise<void> {
    await this.#lastWrite;
    const pending = pendingKey(cid);
    const isGone = ([key]: Entry) => key === pending;
    this.#release(this.#failed.filter(isGone));
    this.#failed = this.#failed.filter((entry) => !isGone(entry));
    await this.#environment.transaction(() => {
      const key = cid.multihash.bytes;
      const place = this.#place(key);
      if (place === undefined) return;
      this.#blocks.remove(place.id);
      this.#index.remove(key);
      const sums = this.#sumsNow();
      this.#putSums({ ...sums, bytes: sums.bytes - BigInt(place.length) });
    });
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    await this.#lastWrite;
    let start: Uint8Array | undefined;
    while (true) {
      signal?.throwIfAborted();
      // In pages, each of its own snapshot: a walk over millions of keys must not pin old pages of the environment.
      const page = [...this.#index.keys({ ...(start && { start }), limit: keysPerRead })];
      for (const key of page) yield CID.createV1(codecs.raw, Digest.decode(key));
      const last = page.at(-1);
      if (last === undefined || page.length < keysPerRead) return;
      start = Buffer.concat([last, Buffer.of(0)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#lastWrite;
    return { blocks: this.#index.count(), bytes: Number(this.#sumsNow().bytes) };
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    await this.#environment.close();
  }
}

function pendingKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/**
 * Opens a block store in an LMDB environment.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbBlockstore(options: LmdbBlockstoreOptions): Promise<Blockstore> {
  const environment = await Environment.open({
    directory: options.directory,
    format: { name: 'cairn-blocks', version: 1 },
  });
  return new LmdbBlockstore(environment, options);
}
