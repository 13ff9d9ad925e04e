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

  /** Reads the next `length` bytes. @throws CAR_INVALID if the stream ends earlier */
  async take(length: number, what: string): Promise<Uint8Array> {
    if (this.#chunk.length >= length) {
      const bytes = this.#chunk.subarray(0, length);
      this.#chunk = this.#chunk.subarray(length);
      return bytes;
    }
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      if (await this.isAtEnd()) throw new InvalidCarError(`it ends within ${what}`, { words: 'unexpected EOF' });
      const part = this.#chunk.subarray(0, length - at);
      bytes.set(part, at);
      at += part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    return bytes;
  }

  /** Skips bytes. @throws CAR_INVALID if the stream ends earlier */
  async skip(length: number, what: string): Promise<void> {
    for (let left = length; left > 0; ) {
      if (await this.isAtEnd()) throw new InvalidCarError(`it ends within ${what}`, { words: 'unexpected EOF' });
      const passed = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(passed);
      left -= passed;
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
