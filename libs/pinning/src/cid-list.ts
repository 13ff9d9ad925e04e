import { CID } from '@cairn/cid';

/** CIDs in order, each as long as its bytes: as objects they take ten times the memory, and a block has up to 260,000 of them. */
export class CidList implements Iterable<CID> {
  #bytes = new Uint8Array(0);
  #ends = new Uint32Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds the CID between two places. It must be valid. */
  push(source: Uint8Array, start = 0, end = source.length): void {
    const from = this.#endOf(this.#length - 1);
    const to = from + end - start;
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(Math.max(to, this.#bytes.length * 2)));
    if (this.#length === this.#ends.length)
      this.#ends = grown(this.#ends, new Uint32Array(Math.max(1, this.#length * 2)));
    // Most CIDs are short: a call for each costs more than a loop.
    for (let at = start; at < end; at++) this.#bytes[from + at - start] = source[at] ?? 0;
    this.#ends[this.#length++] = to;
  }

  /** Takes the last CID away. */
  pop(): CID | undefined {
    if (this.#length === 0) return undefined;
    const last = this.#at(this.#length - 1);
    this.#length--;
    return last;
  }

  /** CIDs from one place to before another, as in `Array.slice`. */
  slice(start: number, end: number): CID[] {
    const cids: CID[] = [];
    for (let index = start; index < Math.min(end, this.#length); index++) cids.push(this.#at(index));
    return cids;
  }

  /** The {@link cidKey} of the CID at a place. */
  keyAt(index: number): string {
    return cidKey(this.bytesAt(index));
  }

  *[Symbol.iterator](): Generator<CID> {
    for (let index = 0; index < this.#length; index++) yield this.#at(index);
  }

  /** Bytes of the CID at a place: a view. */
  bytesAt(index: number): Uint8Array {
    return this.#bytes.subarray(this.#endOf(index - 1), this.#endOf(index));
  }

  /** Copies its bytes: a CID that is kept must not keep the list. */
  #at(index: number): CID {
    return CID.decode(Uint8Array.prototype.slice.call(this.bytesAt(index)));
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }
}

/** One text for the bytes of a CID, a character for each; shorter to make and to keep than the CID's own text. */
export function cidKey({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
