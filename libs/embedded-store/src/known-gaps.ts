import { crc32 } from 'node:zlib';

/** Neighbours of an absent key, which were found linked to each other. */
export interface Gap {
  /** The stored key before it; undefined for the first one. */
  readonly before: Uint8Array | undefined;
  /** The stored key after it; undefined for the last one. */
  readonly after: Uint8Array | undefined;
}

/** Maximum number of gaps of a table: about 64 KiB of memory. */
const gapsMax = 128;
/** Hashes of absent keys that were looked up once. A power of 2. */
const seenMax = 1024;

/**
 * Gaps around keys that were absent at two lookups. Most absent keys are those of new records, which are looked up once. A gap is
 * a hint: the caller compares its neighbours with the table.
 */
export class KnownGaps {
  readonly #seen = new Uint32Array(seenMax);
  readonly #gaps = new Map<string, Gap>();

  find(key: Uint8Array): Gap | undefined {
    return this.#gaps.size === 0 ? undefined : this.#gaps.get(nameOf(key));
  }

  add(key: Uint8Array, gap: Gap): void {
    const hash = crc32(key);
    const at = hash & (seenMax - 1);
    if (this.#seen[at] !== hash) {
      this.#seen[at] = hash;
      return;
    }
    const name = nameOf(key);
    this.#gaps.delete(name);
    if (this.#gaps.size >= gapsMax) this.#gaps.delete(this.#gaps.keys().next().value ?? '');
    this.#gaps.set(name, gap);
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
