import { keccak256 } from '@cairn/cid';
import { type Database, Environment } from '@cairn/embedded-store';
import { compareBytes } from '@cairn/platform';
import { type ContentCache, keyOf } from './content-cache.ts';
import { MemoryContentCache } from './memory-content-cache.ts';

export const contentCacheFormat = { name: 'content-cache', version: 1 } as const;

/** Share of `bytesMax` that is freed when the limit is reached, so that evictions are rare. */
const freedShare = 0.05;
/** Pending content that starts a write. */
const pendingMax = 512;
/** Maximum time in milliseconds before content is written to disk. */
const writeDelayMs = 200;

export interface LmdbContentCacheOptions {
  readonly directory: string;
  /** Limit of the content on disk in bytes. The file is about ten percent larger. */
  readonly bytesMax: number;
  /** Limit of the content in memory before it. Default: 32 MiB. */
  readonly memoryBytesMax?: number;
  /** Called when a write fails. Reads continue, and the content is fetched again later. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Content cache on disk, with a memory cache for recent reads. Content is verified against its hash when it is read from
 * disk. The oldest content is evicted first. Content that was read since the last eviction check gets a second chance.
 */
export class LmdbContentCache implements ContentCache {
  readonly #environment: Environment;
  /** Hash → sequence number (8 bytes) and content. */
  readonly #content: Database;
  /** Sequence number → hash, in the order of eviction. */
  readonly #order: Database;
  /** Bytes and next sequence number, 8 bytes each. */
  readonly #meta: Database;
  readonly #memory: MemoryContentCache;
  readonly #pending = new Map<string, { readonly hash: Uint8Array; readonly content: Uint8Array }>();
  /** Hashes read from disk since their last eviction check. */
  readonly #used = new Set<string>();
  readonly #bytesMax: number;
  readonly #onError: (error: unknown) => void;
  #bytes: number;
  /** Valid within a transaction only: other processes write, too. */
  #nextSequence = 0n;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(environment: Environment, options: LmdbContentCacheOptions) {
    this.#environment = environment;
    this.#content = environment.database('content');
    this.#order = environment.database('order');
    this.#memory = new MemoryContentCache({ bytesMax: options.memoryBytesMax ?? 32 * 1024 * 1024 });
    this.#bytesMax = options.bytesMax;
    this.#onError = options.onError ?? (() => {});
    this.#meta = environment.database('meta');
    this.#bytes = this.#readMeta().bytes;
  }

  /** @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
  static async open(options: LmdbContentCacheOptions): Promise<LmdbContentCache> {
    const environment = await Environment.open({
      directory: options.directory,
      format: contentCacheFormat,
    });
    return new LmdbContentCache(environment, options);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    const known = this.#memory.get(hash) ?? this.#pending.get(keyOf(hash))?.content;
    if (known !== undefined) return known;
    const content = this.#stored(hash);
    // A damaged record is fetched again and replaced.
    if (content === undefined || compareBytes(keccak256(content), hash) !== 0) return undefined;
    this.#memory.put(hash, content);
    return content;
  }

  find(name: Uint8Array): Uint8Array | undefined {
    return this.#pending.get(keyOf(name))?.content ?? this.#stored(name);
  }

  #stored(key: Uint8Array): Uint8Array | undefined {
    const stored = this.#content.get(key);
    if (stored === undefined) return undefined;
    this.#used.add(keyOf(key));
    return stored.subarray(8);
  }

  put(hash: Uint8Array, content: Uint8Array): void {
    if (this.#pending.has(keyOf(hash))) return;
    this.#memory.put(hash, content);
    // Compared on the disk, from which other threads read: it may be damaged or evicted there, and still be in memory.
    const stored = this.#content.get(hash);
    if (stored !== undefined && compareBytes(stored.subarray(8), content) === 0) return;
    this.#pending.set(keyOf(hash), { hash, content });
    if (this.#pending.size >= pendingMax) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), writeDelayMs).unref();
  }

  async flush(): Promise<void> {
    // A write in progress has none of the content that was added since. One further write has all of it.
    await this.#writing;
    if (this.#pending.size === 0) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#environment.close();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = [...this.#pending];
    try {
      this.#bytes = await this.#environment.transaction(() => {
        const meta = this.#readMeta();
        this.#nextSequence = meta.nextSequence;
        let { bytes } = meta;
        for (const [, { hash, content }] of entries) bytes += this.#writeOne(hash, content);
        if (bytes > this.#bytesMax) bytes = this.#evict(bytes);
        this.#meta.put(metaKey, metaValue(bytes, this.#nextSequence));
        return bytes;
      });
    } catch (error) {
      this.#onError(error);
    }
    for (const [key] of entries) this.#pending.delete(key);
  }

  /** Returns the added bytes. */
  #writeOne(hash: Uint8Array, content: Uint8Array): number {
    const stored = this.#content.get(hash);
    if (stored !== undefined && stored.length === content.length + 8) {
      // The same content, or a damaged record of the same length: its place in the order stays.
      this.#content.put(hash, Buffer.concat([stored.subarray(0, 8), content]));
      return 0;
    }
    const sequence = this.#takeSequence();
    this.#content.put(hash, Buffer.concat([sequence, content]));
    this.#order.put(sequence, orderValue(hash, content.length));
    return content.length;
  }

  /** Frees the oldest content that was not read since its last eviction check. Returns the remaining bytes. */
  #evict(bytes: number): number {
    let left = bytes;
    const target = this.#bytesMax * (1 - freedShare);
    // Each record is visited once at most, so that content in use is evicted too when nothing else is left.
    for (const { key, value } of [...this.#order.range({ limit: 100_000 })]) {
      if (left <= target) break;
      const hash = value.subarray(0, 32);
      this.#order.remove(key);
      if (this.#used.delete(keyOf(hash))) {
        const content = this.#content.get(hash)?.subarray(8);
        if (content === undefined) continue;
        const sequence = this.#takeSequence();
        this.#content.put(hash, Buffer.concat([sequence, content]));
        this.#order.put(sequence, value);
        continue;
      }
      left -= Buffer.from(value).readUInt32BE(32);
      this.#content.remove(hash);
    }
    return left;
  }

  #readMeta(): { readonly bytes: number; readonly nextSequence: bigint } {
    const value = this.#meta.get(metaKey);
    if (value === undefined) return { bytes: 0, nextSequence: 0n };
    const view = Buffer.from(value);
    return { bytes: Number(view.readBigUInt64BE(0)), nextSequence: view.readBigUInt64BE(8) };
  }

  #takeSequence(): Buffer {
    const sequence = Buffer.alloc(8);
    sequence.writeBigUInt64BE(this.#nextSequence++);
    return sequence;
  }
}

const metaKey = Buffer.from('state');

function metaValue(bytes: number, nextSequence: bigint): Buffer {
  const value = Buffer.alloc(16);
  value.writeBigUInt64BE(BigInt(bytes), 0);
  value.writeBigUInt64BE(nextSequence, 8);
  return value;
}

function orderValue(hash: Uint8Array, length: number): Buffer {
  const value = Buffer.alloc(36);
  value.set(hash);
  value.writeUInt32BE(length, 32);
  return value;
}
