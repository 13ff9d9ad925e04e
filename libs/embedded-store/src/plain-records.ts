import { Neighbours } from './neighbours.ts';
import { copy, downwards, type Entry, ends, type LmdbTable, lastKey, type Range, type Records } from './records.ts';

/** Records without checksums. */
export class PlainRecords implements Records {
  readonly #table: LmdbTable;
  readonly #neighbours: Neighbours;

  constructor(table: LmdbTable) {
    this.#table = table;
    this.#neighbours = new Neighbours(table);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#table.getBinary(key);
  }

  peek(key: Uint8Array): Uint8Array | undefined {
    return this.get(key);
  }

  copyTo(key: Uint8Array, into: Uint8Array): number | undefined {
    // LMDB has one buffer for all reads, which the next read overwrites.
    const value = this.#table.getBinaryFast(key);
    if (value === undefined) return undefined;
    const { buffer, byteOffset, length } = value;
    into.set(new Uint8Array(buffer, byteOffset, Math.min(length, into.length)));
    return length;
  }

  has(key: Uint8Array): boolean {
    return this.#table.doesExist(key);
  }

  *range(range: Range): Generator<Entry> {
    for (const { key, value } of this.#table.getRange(bounds(range))) yield { key: copy(key), value: copy(value) };
  }

  *keys(range: Range): Generator<Uint8Array> {
    for (const key of this.#table.getKeys(bounds(range))) yield copy(key);
  }

  last(range: Range): Entry | undefined {
    const { low, high = lastKey } = ends(range);
    const found = this.#neighbours.before(high);
    return found && Buffer.compare(found.key, low) >= 0 ? found : undefined;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#table.putSync(key, asBuffer(value));
  }

  remove(key: Uint8Array): boolean {
    return this.#table.removeSync(key);
  }
}

function bounds({ prefix, start, end, reverse = false, limit }: Range) {
  const { low, high = lastKey } = ends({ prefix, start, end });
  // In reverse, lmdb by default includes the start and excludes the end.
  const order = reverse ? { ...downwards, start: high, end: low } : { start: low, end: high };
  return limit === undefined ? order : { ...order, limit };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
