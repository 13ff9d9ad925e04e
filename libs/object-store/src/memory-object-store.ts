import { createHash } from 'node:crypto';
import { ObjectStoreError } from './errors.ts';
import { assertKey } from './keys.ts';
import { objectStoreLimits as limits } from './limits.ts';
import type {
  GetObjectOptions,
  ListObjectsOptions,
  ObjectBytes,
  ObjectInfo,
  ObjectStore,
  PutObjectOptions,
  PutStreamOptions,
} from './object-store.ts';
import { TrafficCounter } from './traffic.ts';

interface Stored {
  readonly bytes: Buffer;
  readonly modifiedAt: Date;
}

/** Object store in memory, for tests. `objects` may be changed from outside to damage or to lose one. */
export interface MemoryObjectStore extends ObjectStore {
  readonly objects: Map<string, Stored>;
}

export function createMemoryObjectStore(objects = new Map<string, Stored>()): MemoryObjectStore {
  return new MemoryStore(objects);
}

class MemoryStore implements MemoryObjectStore {
  readonly objects: Map<string, Stored>;
  readonly #counter = new TrafficCounter();
  #isClosed = false;

  constructor(objects: Map<string, Stored>) {
    this.objects = objects;
  }

  async put(key: string, bytes: ObjectBytes, options: PutObjectOptions = {}): Promise<void> {
    this.#begin(key, options.signal);
    const all = bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.concat(bytes);
    this.#counter.add('put', { requests: 1, bytesSent: all.length });
    if (all.length > limits.objectBytesMax) throw failure('OBJECT_TOO_LARGE', key);
    if (options.sha256 !== undefined && !sha256Of(all).equals(options.sha256))
      throw failure('OBJECT_CHECKSUM_MISMATCH', key);
    if (options.ifAbsent === true && this.objects.has(key)) throw failure('OBJECT_EXISTS', key);
    this.objects.set(key, { bytes: all, modifiedAt: new Date() });
  }

  async putStream(key: string, source: AsyncIterable<Uint8Array>, options: PutStreamOptions = {}) {
    this.#begin(key, options.signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) {
      options.signal?.throwIfAborted();
      chunks.push(Buffer.from(chunk));
    }
    const bytes = Buffer.concat(chunks);
    this.#counter.add('multipart', { requests: 1, bytesSent: bytes.length });
    this.objects.set(key, { bytes, modifiedAt: new Date() });
    return { bytes: bytes.length, sha256: sha256Of(bytes) };
  }

  async get(key: string, options: GetObjectOptions = {}): Promise<Uint8Array> {
    const { range, bytesMax = limits.objectBytesMax, signal } = options;
    this.#begin(key, signal);
    if (range?.length === 0) return new Uint8Array(0);
    const stored = this.objects.get(key);
    if (stored === undefined) throw failure('OBJECT_NOT_FOUND', key);
    if (range === undefined && stored.bytes.length > bytesMax) throw failure('OBJECT_TOO_LARGE', key);
    const { offset, length: asked } = range ?? { offset: 0, length: stored.bytes.length };
    const length = Math.min(asked, stored.bytes.length - offset);
    const isWhole = length === asked || (range?.mayBeShort === true && length > 0);
    if (!isWhole) throw failure('OBJECT_RANGE_INVALID', key);
    this.#counter.add('get', { requests: 1, bytesReceived: length });
    return Uint8Array.prototype.slice.call(stored.bytes, offset, offset + length);
  }

  async *stream(key: string, options: { readonly signal?: AbortSignal } = {}): AsyncIterable<Uint8Array> {
    const bytes = await this.get(key, { ...options, bytesMax: Number.POSITIVE_INFINITY });
    if (bytes.length > 0) yield bytes;
  }

  async stat(key: string, options: { readonly signal?: AbortSignal } = {}): Promise<ObjectInfo | undefined> {
    this.#begin(key, options.signal);
    this.#counter.add('head', { requests: 1 });
    const stored = this.objects.get(key);
    return stored && { key, bytes: stored.bytes.length, modifiedAt: stored.modifiedAt };
  }

  async *list(prefix: string, { after = '', signal }: ListObjectsOptions = {}): AsyncIterable<ObjectInfo> {
    this.#counter.add('list', { requests: 1 });
    for (const key of [...this.objects.keys()].sort()) {
      signal?.throwIfAborted();
      const stored = this.objects.get(key);
      if (stored === undefined || !key.startsWith(prefix) || key <= after) continue;
      yield { key, bytes: stored.bytes.length, modifiedAt: stored.modifiedAt };
    }
  }

  async deleteMany(keys: readonly string[], options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    for (const key of keys) this.#begin(key, options.signal);
    if (keys.length > 0) this.#counter.add('delete', { requests: 1 });
    for (const key of keys) this.objects.delete(key);
  }

  async abortUploadsBefore(): Promise<number> {
    return 0;
  }

  traffic() {
    return this.#counter.snapshot();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #begin(key: string, signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#isClosed) throw failure('OBJECT_STORE_CLOSED', key);
    assertKey(key);
  }
}

function sha256Of(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function failure(code: ConstructorParameters<typeof ObjectStoreError>[0], key: string): ObjectStoreError {
  return new ObjectStoreError(code, `The memory store refused a call for ${key} (${code}).`, { details: { key } });
}
