/** Tags that share an index. With four, few tags are replaced before the set is half full. */
const ways = 4;

/** Words of 4 bytes in a tag. */
const words = 4;

/**
 * Set of tags of 16 bytes in one array of fixed length. A tag that finds no free place replaces another one, which its own bits
 * choose: tags are random, so the choice is too.
 */
export class TagSet {
  readonly #tags: Uint32Array;
  readonly #rows: number;

  /** @param tagsMax a multiple of 4. The set takes 16 bytes for each. */
  constructor(tagsMax: number) {
    this.#tags = new Uint32Array(tagsMax * words);
    this.#rows = tagsMax / ways;
  }

  /** Compares all bytes of all tags in question, so that the time does not depend on them. */
  has(tag: Uint8Array): boolean {
    const [a, b, c, d] = wordsOf(tag);
    const row = (a % this.#rows) * ways * words;
    let equal = 0;
    for (let at = row; at < row + ways * words; at += words)
      equal |= Number(
        ((this.#word(at) ^ a) | (this.#word(at + 1) ^ b) | (this.#word(at + 2) ^ c) | (this.#word(at + 3) ^ d)) === 0,
      );
    return equal === 1;
  }

  add(tag: Uint8Array): void {
    if (this.has(tag)) return;
    const value = wordsOf(tag);
    const row = (value[0] % this.#rows) * ways * words;
    let place = row + (value[1] % ways) * words;
    for (let at = row; at < row + ways * words; at += words) {
      const isFree = (this.#word(at) | this.#word(at + 1) | this.#word(at + 2) | this.#word(at + 3)) === 0;
      if (isFree) place = at;
    }
    this.#tags.set(value, place);
  }

  #word(at: number): number {
    return this.#tags[at] ?? 0;
  }
}

function wordsOf({ buffer, byteOffset }: Uint8Array): [number, number, number, number] {
  const view = new DataView(buffer, byteOffset);
  return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
}
