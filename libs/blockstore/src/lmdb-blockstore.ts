// The hot path of every upload and download; lmdb-blockstore.bench.ts measures it against the bare disk.
import { CID, codecs } from '@cairn/cid';
import { type Database, Environment } from '@cairn/embedded-store';
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

/** Blocks in an LMDB environment, keyed by multihash. Sums are kept in the transaction that changes them. */
class LmdbBlockstore implements Blockstore {
  readonly #environment: Environment;
  readonly #blocks: Database;
  readonly #sums: Database;
  readonly #blockBytesMax: number;
  readonly #pendingBytesMax: number;
  /** Blocks whose commit is under way, by multihash in latin1: readable at once, since `putMany` promises that. */
  readonly #pending = new Map<string, Uint8Array>();
  #pendingBytes = 0;
  /** Settles when every write started so far has: a failed one makes the next `sync` fail. */
  #lastWrite: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #waiting: (() => void)[] = [];

  constructor(environment: Environment, options: LmdbBlockstoreOptions) {
    this.#environment = environment;
    this.#blocks = environment.database('blocks');
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
    return this.#pending.has(pendingKey(cid)) || this.#blocks.has(cid.multihash.bytes);
  }

  async size(cid: CID): Promise<number> {
    const length = this.#pending.get(pendingKey(cid))?.length ?? this.#blocks.size(cid.multihash.bytes);
    if (length === undefined) throw new BlockNotFoundError(cid.toString());
    return length;
  }

  async putMany(blocks: readonly Block[]): Promise<void> {
    for (const { cid, bytes } of blocks) {
      if (bytes.length > this.#blockBytesMax) {
        throw new BlockTooLargeError(cid.toString(), bytes.length, this.#blockBytesMax);
      }
    }
    // One at a time finds out that there is room: several writers of large blocks must not all squeeze through.
    while (this.#pendingBytes > this.#pendingBytesMax)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const entries = this.#take(blocks);
    if (entries.length === 0) return;
    const write = this.#environment.batch(() => this.#write(entries)).finally(() => this.#release(entries));
    // A failure is reported by the next sync, to everyone who might have counted on this write.
    const settled = write.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    const before = this.#lastWrite;
    this.#lastWrite = before.then(() => settled);
  }

  /** Blocks that are not there yet, now counted and readable as pending. */
  #take(blocks: readonly Block[]): readonly (readonly [string, Block])[] {
    const entries: [string, Block][] = [];
    for (const block of blocks) {
      const key = pendingKey(block.cid);
      if (this.#pending.has(key)) continue;
      // A block that is on the disk needs no write; one that is being deleted at this moment is written again by the
      // transaction, which looks once more.
      entries.push([key, block]);
      this.#pending.set(key, block.bytes);
      this.#pendingBytes += block.bytes.length;
    }
    return entries;
  }

  #release(entries: readonly (readonly [string, Block])[]): void {
    for (const [key, { bytes }] of entries) {
      this.#pending.delete(key);
      this.#pendingBytes -= bytes.length;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  #write(entries: readonly (readonly [string, Block])[]): void {
    let added = 0;
    for (const [, { cid, bytes }] of entries) {
      const key = cid.multihash.bytes;
      if (this.#blocks.has(key)) continue;
      this.#blocks.put(key, bytes);
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
    const failure = this.#failure;
    if (failure === undefined) return;
    this.#failure = undefined;
    throw failure.error;
  }

  async delete(cid: CID): Promise<void> {
    await this.#lastWrite;
    await this.#environment.transaction(() => {
      const key = cid.multihash.bytes;
      const length = this.#blocks.size(key);
      if (length === undefined) return;
      this.#blocks.remove(key);
      this.#addBytes(-length);
    });
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    let start: Uint8Array | undefined;
    while (true) {
      signal?.throwIfAborted();
      // In pages, each of its own snapshot: a walk over millions of keys must not pin old pages of the environment.
      const page = [...this.#blocks.keys({ ...(start && { start }), limit: keysPerRead })];
      for (const key of page) yield CID.createV1(codecs.raw, Digest.decode(key));
      const last = page.at(-1);
      if (last === undefined || page.length < keysPerRead) return;
      start = Buffer.concat([last, Buffer.of(0)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async stats(): Promise<BlockstoreStats> {
    await this.#lastWrite;
    return { blocks: this.#blocks.count(), bytes: Number(this.#bytes()) };
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
