import { CID } from '@cairn/cid';

/** A list of CIDs as bytes. CID objects take ten times the memory, and a block has up to 260,000 CIDs. */
export class CidList implements Iterable<CID> {
  #bytes = new Uint8Array(0);
  #ends = new Uint32Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds the CID in `source` from `start` to before `end`. The bytes must be a valid CID. */
  push(source: Uint8Array, start = 0, end = source.length): void {
    const from = this.#endOf(this.#length - 1);
    const to = from + end - start;
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(Math.max(to, this.#bytes.length * 2)));
    if (this.#length === this.#ends.length)
      this.#ends = grown(this.#ends, new Uint32Array(Math.max(1, this.#length * 2)));
    // A loop is faster than `set` for CIDs, which are short.
    for (let at = start; at < end; at++) this.#bytes[from + at - start] = source[at] ?? 0;
    this.#ends[this.#length++] = to;
  }

  /** Removes the last CID and returns it. */
  pop(): CID | undefined {
    if (this.#length === 0) return undefined;
    const last = this.#at(this.#length - 1);
    this.#length--;
    return last;
  }

  /** Returns the CIDs from one index to before another, as `Array.slice` does. */
  slice(start: number, end: number): CID[] {
    const cids: CID[] = [];
    for (let index = start; index < Math.min(end, this.#length); index++) cids.push(this.#at(index));
    return cids;
  }

  /** Returns the {@link cidKey} of the CID at an index. */
  keyAt(index: number): string {
    return cidKey(this.bytesAt(index));
  }

  *[Symbol.iterator](): Generator<CID> {
    for (let index = 0; index < this.#length; index++) yield this.#at(index);
  }

  /** Returns a view of the bytes of the CID at an index. */
  bytesAt(index: number): Uint8Array {
    return this.#bytes.subarray(this.#endOf(index - 1), this.#endOf(index));
  }

  /** Copies the bytes, so that a CID does not keep the whole list in memory. */
  #at(index: number): CID {
    return CID.decode(Uint8Array.prototype.slice.call(this.bytesAt(index)));
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }
}

/** Returns the bytes of a CID as latin1, for keys of maps. Faster and shorter than the text of the CID. */
export function cidKey({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
