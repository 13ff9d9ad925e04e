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

const bytesKey = Buffer.from('bytes');
const keysPerRead = 256;

/** A block on its way to the disk, and its multihash in latin1. */
type Entry = readonly [key: string, block: Block];

/**
 * Blocks in an LMDB environment, keyed by multihash. Lengths are kept apart, so that asking for one or deleting a block
 * reads none of its bytes; sums are kept in the transaction that changes them.
 */
class LmdbBlockstore implements Blockstore {
  readonly #environment: Environment;
  readonly #blocks: Database;
  readonly #lengths: Database;
  readonly #sums: Database;
  readonly #blockBytesMax: number;
  readonly #pendingBytesMax: number;
  /** Blocks that are not on the disk yet: readable at once, since `putMany` promises that. */
  readonly #pending = new Map<string, Uint8Array>();
  #pendingBytes = 0;
  /** Settles, never rejects, when every write started so far has. */
  #lastWrite: Promise<void> = Promise.resolve();
  /** Entries whose write failed. They stay pending, and every `sync` tries them again: whoever counts on one learns it. */
  #failed: Entry[] = [];
  #retrying: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(environment: Environment, options: LmdbBlockstoreOptions) {
    this.#environment = environment;
    this.#blocks = environment.database('blocks');
    this.#lengths = environment.database('lengths');
    this.#sums = environment.database('sums');
    this.#blockBytesMax = options.blockBytesMax ?? limits.blockBytesMax;
    this.#pendingBytesMax = options.pendingBytesMax ?? limits.pendingBytesMax;
  }

  async get(cid: CID, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const bytes = this.#pending.get(pendingKey(cid)) ?? this.#blocks.get(cid.multihash.bytes);
    if (bytes === undefined) throw new BlockNotFoundError(cid.toString());
    return bytes;
  }

  async has(cid: CID): Promise<boolean> {
    return this.#pending.has(pendingKey(cid)) || this.#lengths.has(cid.multihash.bytes);
  }

  async size(cid: CID): Promise<number> {
    const length = this.#pending.get(pendingKey(cid))?.length ?? this.#length(cid.multihash.bytes);
    if (length === undefined) throw new BlockNotFoundError(cid.toString());
    return length;
  }

  #length(key: Uint8Array): number | undefined {
    const length = this.#lengths.get(key);
    return length === undefined ? undefined : Buffer.from(length).readUInt32BE();
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

  #start(entries: readonly Entry[]): void {
    const write = this.#environment
      .batch(() => this.#write(entries))
      .then(
        () => this.#release(entries),
        // The reason is that of the next try: it may be another one by then.
        () => void this.#failed.push(...entries),
      )
      .then(() => this.#wake());
    const before = this.#lastWrite;
    this.#lastWrite = before.then(() => write);
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
    let added = 0;
    for (const [, { cid, bytes }] of entries) {
      const key = cid.multihash.bytes;
      if (this.#lengths.has(key)) continue;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      this.#blocks.put(key, bytes);
      this.#lengths.put(key, length);
      added += bytes.length;
    }
    if (added > 0) this.#addBytes(added);
  }

  #addBytes(difference: number): void {
    const sum = Buffer.alloc(8);
    sum.writeBigUInt64BE(this.#bytes() + BigInt(difference));
    this.#sums.put(bytesKey, sum);
  }

  #bytes(): bigint {
    const sum = this.#sums.get(bytesKey);
    return sum === undefined ? 0n : Buffer.from(sum).readBigUInt64BE();
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
    await this.#environment.batch(() => this.#write(entries));
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
      const length = this.#length(key);
      if (length === undefined) return;
      this.#blocks.remove(key);
      this.#lengths.remove(key);
      this.#addBytes(-length);
    });
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    await this.#lastWrite;
    let start: Uint8Array | undefined;
    while (true) {
      signal?.throwIfAborted();
      // In pages, each of its own snapshot: a walk over millions of keys must not pin old pages of the environment.
      const page = [...this.#lengths.keys({ ...(start && { start }), limit: keysPerRead })];
      for (const key of page) yield CID.createV1(codecs.raw, Digest.decode(key));
      const last = page.at(-1);
      if (last === undefined || page.length < keysPerRead) return;
      start = Buffer.concat([last, Buffer.of(0)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#lastWrite;
    return { blocks: this.#lengths.count(), bytes: Number(this.#bytes()) };
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
