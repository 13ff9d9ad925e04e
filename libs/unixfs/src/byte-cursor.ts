import { concatBytes } from '@cairn/platform';
/** Takes bytes from a stream as they are needed. */
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

  /** Up to `length` bytes: fewer only where the stream ends. */
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
