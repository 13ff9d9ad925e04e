import { InvalidCarError } from './errors.ts';

/** Takes exact numbers of bytes from a stream of chunks; never holds more than what was asked for and one chunk. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** True when nothing is left. */
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

  /** The next `length` bytes. @throws CAR_INVALID when the stream ends before */
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

  /** Passes over bytes. @throws CAR_INVALID when the stream ends before */
  async skip(length: number, what: string): Promise<void> {
    for (let left = length; left > 0; ) {
      if (await this.isAtEnd()) throw new InvalidCarError(`it ends within ${what}`, { words: 'unexpected EOF' });
      const passed = Math.min(left, this.#chunk.length);
      this.#chunk = this.#chunk.subarray(passed);
      left -= passed;
    }
  }

  /** Passes over all that is left. */
  async drain(): Promise<void> {
    while (await this.#next());
    this.#chunk = new Uint8Array(0);
  }

  /** An unsigned varint (LEB128) of at most 9 bytes, and how many bytes it took. @throws CAR_INVALID */
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
    throw new InvalidCarError(`the length of ${what} is no number of bytes`);
  }
}
