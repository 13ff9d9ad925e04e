/** Block in answer to the want with this number. */
export interface NumberedBlock {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** Number and length of each block, 4 bytes each. */
const entryBytes = 8;
const countBytes = 4;

/**
 * Shorter blocks are joined, so that each write to the socket has many of them. Longer ones are parts of their own, without a
 * copy.
 */
const joinedBytesMax = 32 * 1024;

/** Encodes blocks as the parts of one message: their count, their numbers and lengths, and their bytes. Integers are little-endian. */
export function encodeBlocks(blocks: readonly NumberedBlock[]): Uint8Array[] {
  const head = Buffer.allocUnsafe(countBytes + entryBytes * blocks.length);
  head.writeUInt32LE(blocks.length, 0);
  for (const [index, { id, bytes }] of blocks.entries()) {
    head.writeUInt32LE(id, countBytes + entryBytes * index);
    head.writeUInt32LE(bytes.length, countBytes + entryBytes * index + 4);
  }
  const parts: Uint8Array[] = [];
  let joined: Uint8Array[] = [head];
  const join = () => {
    if (joined.length > 0) parts.push(joined.length === 1 ? (joined[0] as Uint8Array) : Buffer.concat(joined));
    joined = [];
  };
  for (const { bytes } of blocks) {
    if (bytes.length === 0) continue;
    if (bytes.length <= joinedBytesMax) joined.push(bytes);
    else {
      join();
      parts.push(bytes);
    }
  }
  join();
  return parts;
}

/**
 * Decodes the blocks of a message. The boundaries of its fragments do not matter. A block within a much longer fragment is
 * copied, so that it does not keep the fragment in memory.
 * @throws RangeError for a message of another format
 */
export function decodeBlocks(fragments: readonly Uint8Array[]): NumberedBlock[] {
  const reader = new FragmentReader(fragments);
  const count = reader.take(countBytes).readUInt32LE(0);
  const head = reader.take(entryBytes * count);
  const blocks: NumberedBlock[] = [];
  for (let at = 0; at < head.length; at += entryBytes)
    blocks.push({ id: head.readUInt32LE(at), bytes: reader.take(head.readUInt32LE(at + 4)) });
  if (!reader.isAtEnd) throw new RangeError('The message is longer than its blocks.');
  return blocks;
}

/** Reads bytes across fragments. */
class FragmentReader {
  readonly #fragments: readonly Uint8Array[];
  #index = 0;
  #at = 0;
  #left: number;

  constructor(fragments: readonly Uint8Array[]) {
    this.#fragments = fragments.filter(({ length }) => length > 0);
    this.#left = fragments.reduce((sum, { length }) => sum + length, 0);
  }

  get isAtEnd(): boolean {
    return this.#left === 0;
  }

  take(length: number): Buffer {
    if (length > this.#left) throw new RangeError('The message is shorter than its blocks.');
    this.#left -= length;
    const first = this.#fragments[this.#index];
    if (first !== undefined && length === first.length && this.#at === 0) {
      this.#index++;
      return Buffer.from(first.buffer, first.byteOffset, length);
    }
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const fragment = this.#fragments[this.#index] as Uint8Array;
      const part = fragment.subarray(this.#at, this.#at + length - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#at += part.length;
      if (this.#at < fragment.length) continue;
      this.#index++;
      this.#at = 0;
    }
    return bytes;
  }
}
