// Hot path of large files: tools/bench/ipfs-gateway.mjs. A buffer for each block makes the garbage collector run after every
// 25 MiB that are sent.

/** Shorter blocks are read into new memory: they cost the garbage collector little, and caches keep them. */
const lentBytesMin = 128 * 1024;

/** Buffers have multiples of this length, so that blocks of a similar length share them. */
const stepBytes = 64 * 1024;

export interface BufferPoolOptions {
  /** Bytes of buffers that wait for their next use. */
  readonly bytesMax: number;
}

/**
 * Buffers that are used again. A borrower that does not give a buffer back leaves it to the garbage collector, so every
 * error path may ignore the pool. One that gives back a buffer that is still in use corrupts what others read.
 */
export class BufferPool {
  readonly #bytesMax: number;
  /** Free buffers by length. */
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #lent = new WeakSet<ArrayBufferLike>();
  #freeBytes = 0;

  constructor({ bytesMax }: BufferPoolOptions) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of buffers that wait for their next use. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** Lends a buffer for so many bytes, whose content is undefined. Returns `undefined` for a short block. */
  take(length: number): Uint8Array | undefined {
    if (length < lentBytesMin) return undefined;
    const size = Math.ceil(length / stepBytes) * stepBytes;
    const buffer = this.#takeFree(size) ?? new ArrayBuffer(size);
    this.#lent.add(buffer);
    return new Uint8Array(buffer, 0, length);
  }

  /** Reports whether bytes are in a buffer that was lent. */
  isLent({ buffer }: Uint8Array): boolean {
    return this.#lent.has(buffer);
  }

  /** Leaves the buffer of bytes that several readers have to the garbage collector. */
  keep({ buffer }: Uint8Array): void {
    this.#lent.delete(buffer);
  }

  /** Takes back the buffer of bytes that nothing uses any more. Ignores bytes that the pool did not lend. */
  giveBack({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer) || !this.#lent.delete(buffer)) return;
    const size = buffer.byteLength;
    const free = this.#free.get(size) ?? [];
    // A map is in the order of insertion: the size that was given back last is the last one.
    this.#free.delete(size);
    this.#free.set(size, free);
    free.push(buffer);
    this.#freeBytes += size;
    for (const oldest of this.#free.keys()) {
      while (this.#freeBytes > this.#bytesMax && this.#takeFree(oldest) !== undefined);
      if (this.#freeBytes <= this.#bytesMax) break;
    }
  }

  /** Leaves all free buffers to the garbage collector. */
  clear(): void {
    this.#free.clear();
    this.#freeBytes = 0;
  }

  #takeFree(size: number): ArrayBuffer | undefined {
    const free = this.#free.get(size);
    const buffer = free?.pop();
    if (buffer !== undefined) this.#freeBytes -= size;
    if (free?.length === 0) this.#free.delete(size);
    return buffer;
  }
}
