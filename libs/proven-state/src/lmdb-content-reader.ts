import { keccak256 } from '@cairn/cid';
import { type Database, Environment } from '@cairn/embedded-store';
import { compareBytes } from '@cairn/platform';
import type { ContentReader } from './content-cache.ts';
import { contentCacheFormat } from './lmdb-content-cache.ts';
import { MemoryContentCache } from './memory-content-cache.ts';

export interface LmdbContentReaderOptions {
  readonly directory: string;
  /** Limit of the content in memory. Default: 8 MiB. */
  readonly memoryBytesMax?: number;
}

/** Reads the cache of an {@link LmdbContentCache} that this or another thread or process writes. */
export class LmdbContentReader implements ContentReader {
  readonly #environment: Environment;
  readonly #content: Database;
  readonly #memory: MemoryContentCache;

  private constructor(environment: Environment, memoryBytesMax: number) {
    this.#environment = environment;
    this.#content = environment.database('content');
    this.#memory = new MemoryContentCache({ bytesMax: memoryBytesMax });
  }

  /** Opens an existing cache. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
  static async open({
    directory,
    memoryBytesMax = 8 * 1024 * 1024,
  }: LmdbContentReaderOptions): Promise<LmdbContentReader> {
    const environment = await Environment.open({ directory, format: contentCacheFormat, readOnly: true });
    return new LmdbContentReader(environment, memoryBytesMax);
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    const known = this.#memory.get(hash);
    if (known !== undefined) return known;
    const content = this.find(hash);
    if (content === undefined || compareBytes(keccak256(content), hash) !== 0) return undefined;
    this.#memory.put(hash, content);
    return content;
  }

  find(name: Uint8Array): Uint8Array | undefined {
    return this.#content.get(name)?.subarray(8);
  }

  /** Makes content readable that was written since the last turn of the event loop. */
  refresh(): void {
    this.#environment.refresh();
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}
