import { SourceError } from './errors.ts';

/** Reads exact numbers of bytes from a stream. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #file: string;
  #buffer: Uint8Array = new Uint8Array(0);
  /** Bytes read so far. */
  position = 0;

  constructor(stream: AsyncIterable<Uint8Array>, file: string) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#file = file;
  }

  /** Returns the next byte without consuming it; `undefined` at the end. */
  async peek(): Promise<number | undefined> {
    await this.#fill(1);
    return this.#buffer[0];
  }

  /** Reads the next `length` bytes. @throws SOURCE_INVALID when the file ends before */
  async take(length: number): Promise<Uint8Array> {
    await this.#fill(length);
    if (this.#buffer.length < length)
      throw new SourceError(
        this.#file,
        `it ends in the middle of a record, at byte ${this.position + this.#buffer.length}`,
      );
    const bytes = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    this.position += length;
    return bytes;
  }

  async #fill(length: number): Promise<void> {
    if (this.#buffer.length >= length) return;
    const parts = [this.#buffer];
    let total = this.#buffer.length;
    while (total < length) {
      const { done, value } = await this.#next();
      if (done) break;
      parts.push(value);
      total += value.length;
    }
    this.#buffer = parts.length === 1 ? this.#buffer : Buffer.concat(parts);
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#chunks.next();
    } catch (error) {
      throw new SourceError(this.#file, 'it cannot be read to its end', error);
    }
  }
}
