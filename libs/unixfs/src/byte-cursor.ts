import { concatBytes } from '@cairn/platform';
/** Reads exact numbers of bytes from a stream of chunks. */
export class ByteCursor {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#source.next();
      if (done) return true;
      this.#chunk = value;
    }
    return false;
  }

  /** Reads `length` bytes, or fewer at the end of the stream. */
  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0 && !(await this.isAtEnd()); ) {
      const part = this.#chunk.subarray(0, left);
      parts.push(part);
      left -= part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    return concatBytes(parts);
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isAtEnd())) {
      const chunk = this.#chunk;
      this.#chunk = new Uint8Array(0);
      yield chunk;
    }
  }
}
