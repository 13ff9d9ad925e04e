import type { BufferPool } from '@cairn/blockstore/core';
import { allocateBytes } from '@cairn/platform';
import { InvalidCarError } from './errors.ts';

/** Reads exact numbers of bytes from a stream of chunks. Memory: the requested bytes and one chunk. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Reports whether the stream has ended. */
  async isAtEnd(): Promise<boolean> {
    while (this.#chunk.length === 0) if (!(await this.#next())) return true;
    return false;
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#chunk = value;
    return true;
  }

  /** Reads the next `length` bytes, which may be within a chunk of the stream. @throws CAR_INVALID if the stream ends earlier */
  async take(length: number, what: string): Promise<Uint8Array> {
    if (this.#chunk.length < length) return await this.copy(length, what);
    const bytes = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    return bytes;
  }

  /**
   * Reads the next `length` bytes into memory of their own, where they are long into a buffer of the pool.
   * @throws CAR_INVALID if the stream ends earlier
   */
  async copy(length: number, what: string, buffers?: BufferPool): Promise<Uint8Array> {
    const bytes = buffers?.take(length) ?? allocateBytes(length);
    for (let at = 0; at < length; ) {
      if (await this.isAtEnd()) throw truncated(what);
      const part = this.#chunk.subarray(0, length - at);
      bytes.set(part, at);
      at += part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    return bytes;
  }

  /** Returns the next `length` bytes without reading them. @throws CAR_INVALID if the stream ends earlier */
  async peek(length: number, what: string): Promise<Uint8Array> {
    while (this.#chunk.length < length) {
      const before = this.#chunk;
      if (!(await this.#next())) throw truncated(what);
      const joined = allocateBytes(before.length + this.#chunk.length);
      joined.set(before);
      joined.set(this.#chunk, before.length);
      this.#chunk = joined;
    }
    return this.#chunk.subarray(0, length);
  }

  /** Skips bytes. @throws CAR_INVALID if the stream ends earlier */
  async skip(length: number, what: string): Promise<void> {
    for (let left = length; left > 0; ) {
      if (await this.isAtEnd()) throw truncated(what);
      const passed = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(passed);
      left -= passed;
    }
  }

  /** Ends the source, which cancels a stream. A source that fails to end has no effect on the result of the reader. */
  async end(): Promise<void> {
    try {
      await this.#source.return?.();
    } catch {
      // The first error is the one to report, as in `for await`.
    }
  }

  /** Skips the rest of the stream. */
  async drain(): Promise<void> {
    while (await this.#next());
    this.#chunk = new Uint8Array(0);
  }

  /** Reads an unsigned varint (LEB128) of at most 9 bytes, and returns its value and length. @throws CAR_INVALID */
  async varint(what: string): Promise<{ readonly value: number; readonly bytes: number }> {
    let value = 0;
    for (let index = 0; index < 9; index++) {
      const [byte = 0] = await this.take(1, what);
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return { value, bytes: index + 1 };
      }
    }
    throw new InvalidCarError(`the length of ${what} is not a valid number of bytes`);
  }
}

const truncated = (what: string) => new InvalidCarError(`it ends within ${what}`, { words: 'unexpected EOF' });
