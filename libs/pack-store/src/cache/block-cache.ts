import { rmSync } from 'node:fs';
import type { Block } from '@cairn/blockstore';
import { type BlockVerifier, type CID, verifyBytesInBackground } from '@cairn/cid';
import { type Database, Environment, limits as storeLimits } from '@cairn/embedded-store';
import { isCairnError } from '@cairn/errors';
import { packLimits } from '../limits.ts';

export interface BlockCacheOptions {
  /** Directory of the files. Several processes may share it. Its content may be lost at any time. */
  readonly directory: string;
  /** Bytes of blocks and their records on the disk. */
  readonly bytesMax: number;
  /** Verifies each block that is read. Default: `verifyBytesInBackground`, which hashes it. */
  readonly verify?: BlockVerifier | undefined;
}

export interface BlockCacheStats {
  readonly hits: number;
  /** Bytes of the blocks that were hits. */
  readonly hitBytes: number;
  readonly misses: number;
  /** Blocks that were not cached, since the disk was slower than the reader. */
  readonly skipped: number;
  /** Reads and writes that the disk failed, and blocks that were damaged on it. */
  readonly failures: number;
  readonly blocks: number;
  readonly bytes: number;
}

/** Blocks on a local disk, within a limit of bytes. A failure of the disk is a miss, never an error. */
export interface BlockCache {
  /**
   * Resolves with verified bytes, or undefined. A damaged block is removed.
   * @param into buffer of the length of the block, for its bytes
   */
  get(cid: CID, into?: Uint8Array): Promise<Uint8Array | undefined>;
  /** Caches blocks soon. Without room in memory it caches none of them. */
  put(blocks: readonly Block[]): void;
  remove(cids: readonly CID[]): Promise<void>;
  /** Resolves when all blocks put before are cached. */
  settled(): Promise<void>;
  stats(): BlockCacheStats;
  close(): Promise<void>;
}

const format = { name: 'block-cache', version: 1 };

/** Opens a cache. Files that are damaged or of another version are replaced. */
export async function openBlockCache({
  directory,
  bytesMax,
  verify = verifyBytesInBackground,
}: BlockCacheOptions): Promise<BlockCache> {
  // Commits need not wait for the disk: after a power cut the cache may be empty.
  const open = () => Environment.open({ directory, format, isSynced: false });
  const environment = await open().catch((error: unknown) => {
    if (!isCairnError(error, 'STORE_CORRUPT') && !isCairnError(error, 'STORE_VERSION_UNSUPPORTED')) throw error;
    rmSync(directory, { recursive: true, force: true });
    return open();
  });
  return new LmdbBlockCache(environment, bytesMax, verify);
}

/**
 * Blocks leave in the order in which they came, but one that was read since then stays for another round (second chance). So a
 * read writes nothing.
 */
class LmdbBlockCache implements BlockCache {
  readonly #environment: Environment;
  readonly #bytesMax: number;
  readonly #verify: BlockVerifier;
  /** Multihash → bytes. */
  readonly #blocks: Database;
  /** Number (8 bytes) → length (4 bytes) and multihash. The lowest number leaves first. */
  readonly #order: Database;
  /** Sum of the bytes on the disk. */
  readonly #state: Database;
  /** Blocks read since they came, as latin1 multihashes. */
  readonly #read = new Set<string>();
  #queue: Block[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  readonly #counts = { hits: 0, hitBytes: 0, misses: 0, skipped: 0, failures: 0 };

  constructor(environment: Environment, bytesMax: number, verify: BlockVerifier) {
    this.#environment = environment;
    this.#bytesMax = bytesMax;
    this.#verify = verify;
    this.#blocks = environment.database('blocks');
    this.#order = environment.database('order');
    this.#state = environment.database('state');
  }

  async get(cid: CID, into?: Uint8Array): Promise<Uint8Array | undefined> {
    const key = cid.multihash.bytes;
    try {
      const bytes = into === undefined ? this.#blocks.get(key) : this.#copied(key, into);
      if (bytes !== undefined) {
        await this.#verify(cid, bytes);
        this.#counts.hits++;
        this.#counts.hitBytes += bytes.length;
        this.#remember(key);
        return bytes;
      }
    } catch {
      this.#counts.failures++;
      this.remove([cid]).catch(() => undefined);
    }
    this.#counts.misses++;
    return undefined;
  }

  /** Returns the block in this buffer; undefined for one that is absent or has another length. */
  #copied(key: Uint8Array, into: Uint8Array): Uint8Array | undefined {
    return this.#blocks.copyTo(key, into) === into.length ? into : undefined;
  }

  put(blocks: readonly Block[]): void {
    const bytes = sumOf(blocks);
    if (this.#queuedBytes + bytes > packLimits.cacheQueueBytesMax) {
      this.#counts.skipped += blocks.length;
      return;
    }
    const isCacheable = ({ cid, bytes: { length } }: Block) =>
      cid.multihash.bytes.length <= storeLimits.keyBytesMax && costOf(length) <= this.#bytesMax;
    this.#queue.push(...blocks.filter(isCacheable));
    this.#queuedBytes += bytes;
    this.#writing ??= this.#write();
  }

  async remove(cids: readonly CID[]): Promise<void> {
    // The record in `order` stays until its turn.
    await this.#environment.transaction(() => {
      for (const { multihash } of cids) this.#blocks.remove(multihash.bytes);
    });
  }

  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  stats(): BlockCacheStats {
    return { ...this.#counts, blocks: this.#blocks.count(), bytes: this.#bytes() };
  }

  async close(): Promise<void> {
    this.#queue = [];
    await this.settled();
    await this.#environment.close();
  }

  /** Writes queued blocks, in transactions of a few milliseconds. */
  async #write(): Promise<void> {
    // Blocks of one turn of the event loop share a transaction.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#queue.length > 0) {
        const batch = this.#takeBatch();
        await this.#environment.transaction(() => this.#store(batch));
        this.#queuedBytes -= sumOf(batch);
      }
    } catch {
      // A full disk, for example. Reads continue.
      this.#counts.failures++;
      this.#queue = [];
    }
    this.#queuedBytes = 0;
    this.#writing = undefined;
  }

  #takeBatch(): Block[] {
    let bytes = 0;
    const end = this.#queue.findIndex((block) => {
      bytes += block.bytes.length;
      return bytes > packLimits.cacheBatchBytes;
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : Math.max(1, end));
  }

  #store(batch: readonly Block[]): void {
    let bytes = this.#bytes();
    let number = numberOf(this.#order.last({})?.key) + 1;
    for (const block of batch) {
      const key = block.cid.multihash.bytes;
      if (this.#blocks.has(key)) continue;
      this.#blocks.put(key, block.bytes);
      this.#order.put(keyOf(number++), recordOf(block.bytes.length, key));
      bytes += costOf(block.bytes.length);
    }
    const state = Buffer.alloc(8);
    state.writeDoubleBE(this.#evict(bytes, number));
    this.#state.put(stateKey, state);
  }

  /** Removes the oldest blocks until the limit is kept. A block that was read is moved to the end. */
  #evict(bytesBefore: number, next: number): number {
    let bytes = bytesBefore;
    let number = next;
    let moved = 0;
    while (bytes > this.#bytesMax) {
      const [oldest] = this.#order.range({ limit: 1 });
      if (oldest === undefined) return 0;
      const { key, length } = parseRecord(oldest.value);
      this.#order.remove(oldest.key);
      const isKept = moved < packLimits.cacheMovesMax && this.#read.delete(nameOf(key)) && this.#blocks.has(key);
      if (isKept) {
        moved++;
        this.#order.put(keyOf(number++), oldest.value);
      } else {
        this.#blocks.remove(key);
        bytes -= costOf(length);
      }
    }
    return bytes;
  }

  #bytes(): number {
    const state = this.#state.get(stateKey);
    return state === undefined ? 0 : Buffer.from(state).readDoubleBE(0);
  }

  #remember(key: Uint8Array): void {
    if (this.#read.size >= packLimits.cacheReadsMax) this.#read.clear();
    this.#read.add(nameOf(key));
  }
}

const stateKey = Buffer.from('bytes');

/** Bytes of a block in LMDB with its records: pages of 4 KiB for long values, and about 150 bytes of keys and nodes. */
function costOf(length: number): number {
  const pageBytes = 4096;
  return 150 + (length > 2000 ? Math.ceil((length + 16) / pageBytes) * pageBytes : length);
}

function sumOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function keyOf(number: number): Uint8Array {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(BigInt(number));
  return key;
}

function numberOf(key: Uint8Array | undefined): number {
  return key === undefined ? 0 : Number(Buffer.from(key).readBigUInt64BE(0));
}

function recordOf(length: number, key: Uint8Array): Uint8Array {
  const record = Buffer.alloc(4 + key.length);
  record.writeUInt32BE(length);
  record.set(key, 4);
  return record;
}

function parseRecord(record: Uint8Array): { readonly length: number; readonly key: Uint8Array } {
  return { length: Buffer.from(record).readUInt32BE(0), key: record.slice(4) };
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
