// Hot path: each block of a gateway or a peer is looked up here. Bench: denylist.bench.ts.
import { randomBytes } from 'node:crypto';

/** Bytes of a key: the beginning of a digest. A second preimage of 128 bits is out of reach. */
export const keyBytes = 16;

const keyWords = keyBytes / 4;
const recordWords = keyWords + 2;
const chunkRecords = 65_536;
/** Share of the slots that is used before the slots are doubled. */
const loadMax = 0.7;

/**
 * Hash table from keys to a line and a value, in typed arrays: 24 bytes for each entry and about 6 bytes of slots. Open
 * addressing with linear probing. The hash has random factors, so that the author of a list cannot choose colliding keys.
 */
export class RuleTable {
  readonly #factors = new Uint32Array(randomBytes(keyBytes).buffer.slice(0, keyBytes)).map((word) => word | 1);
  readonly #chunks: Uint32Array[] = [];
  #slots: Int32Array;
  #size = 0;

  /** @param expected entries for which slots are reserved */
  constructor(expected = 0) {
    this.#slots = new Int32Array(Math.max(16, Math.ceil(expected / loadMax)));
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an entry, or replaces line and value of the entry with this key. */
  set(key: Uint8Array, line: number, value: number): void {
    const words = wordsOf(key);
    const known = this.#find(words);
    if (known >= 0) {
      this.#write(known, words, line, value);
      return;
    }
    if (this.#size + 1 > this.#slots.length * loadMax) this.#grow();
    const at = this.#size++;
    if (at % chunkRecords === 0) this.#chunks.push(new Uint32Array(chunkRecords * recordWords));
    this.#write(at, words, line, value);
    this.#place(at);
  }

  /** Returns the entry of a key for {@link lineAt} and {@link valueAt}, or -1. */
  find(key: Uint8Array): number {
    return this.#size === 0 ? -1 : this.#find(wordsOf(key));
  }

  lineAt(entry: number): number {
    return this.#word(entry, keyWords);
  }

  valueAt(entry: number): number {
    return this.#word(entry, keyWords + 1);
  }

  #find(words: Words): number {
    const slots = this.#slots;
    for (let slot = this.#slotOf(words); ; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const entry = (slots[slot] ?? 0) - 1;
      if (entry < 0 || this.#matches(entry, words)) return entry;
    }
  }

  #slotOf([a, b, c, d]: Words): number {
    const [w, x, y, z] = this.#factors;
    const sum = Math.imul(a, w ?? 0) + Math.imul(b, x ?? 0) + Math.imul(c, y ?? 0) + Math.imul(d, z ?? 0);
    const mixed = Math.imul(sum ^ (sum >>> 15), 0x9e3779b1) >>> 0;
    return Math.floor((mixed / 0x1_0000_0000) * this.#slots.length);
  }

  #matches(entry: number, [a, b, c, d]: Words): boolean {
    return (
      this.#word(entry, 0) === a &&
      this.#word(entry, 1) === b &&
      this.#word(entry, 2) === c &&
      this.#word(entry, 3) === d
    );
  }

  #word(entry: number, word: number): number {
    return this.#chunks[Math.floor(entry / chunkRecords)]?.[(entry % chunkRecords) * recordWords + word] ?? 0;
  }

  #write(entry: number, words: Words, line: number, value: number): void {
    this.#chunks[Math.floor(entry / chunkRecords)]?.set([...words, line, value], (entry % chunkRecords) * recordWords);
  }

  #place(entry: number): void {
    const slots = this.#slots;
    let slot = this.#slotOf([0, 1, 2, 3].map((word) => this.#word(entry, word)) as unknown as Words);
    while (slots[slot] !== 0) slot = slot + 1 === slots.length ? 0 : slot + 1;
    slots[slot] = entry + 1;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#size; entry++) this.#place(entry);
  }
}

type Words = readonly [number, number, number, number];

function wordsOf(key: Uint8Array): Words {
  const word = (at: number) =>
    ((key[at] ?? 0) | ((key[at + 1] ?? 0) << 8) | ((key[at + 2] ?? 0) << 16) | ((key[at + 3] ?? 0) << 24)) >>> 0;
  return [word(0), word(4), word(8), word(12)];
}
