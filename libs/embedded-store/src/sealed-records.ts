// Hot path of every lookup in a sealed database. sealed-records.bench.ts compares it with plain records. Remembered gaps: an add of
// one block looks up keys that are absent each time, such as the claims of its account (tools/bench/peers.mjs, row `add 4 KiB`).
import { type Gap, KnownGaps } from './known-gaps.ts';
import { Neighbours } from './neighbours.ts';
import { endLink, linkOf, linkTo, payloadOf, RecordSeal } from './record-seal.ts';
import {
  copy,
  downwards,
  type Entry,
  ends,
  firstKey,
  type LmdbTable,
  lastKey,
  type Range,
  type Records,
} from './records.ts';

/** Creates the error for damage. Without a key the damage affects the whole database. */
export type DamageError = (damage: string, key?: Uint8Array) => Error;

/** Damage found by an inspection. Without a key it affects the whole database. */
export interface Damage {
  readonly damage: string;
  readonly key?: Uint8Array;
}

/** Link to the first record of a database, stored in another database. */
export interface ListHead {
  /** Returns the link; `undefined` for a database without any write. */
  read(): number | undefined;
  write(link: number): void;
}

/**
 * Records with checksums, linked in key order: each record has a hash of the next key.
 *
 * A damaged record fails its checksum. A lost, foreign or misplaced record breaks the link of its predecessor. A range is
 * therefore never shorter than written, and a key is absent only if its neighbours are linked to each other. The head is
 * stored in another database, so that a lost database does not read as empty.
 */
export class SealedRecords implements Records {
  readonly #table: LmdbTable;
  readonly #head: ListHead;
  readonly #damage: DamageError;
  readonly #seal: RecordSeal;
  readonly #writeState: WriteState;
  /** The key that was last found absent, and the record before it. Most writes of new records follow such a lookup. */
  #absent: { readonly key: Uint8Array; readonly before: Entry | undefined; readonly writes: number } | undefined;
  readonly #gaps = new KnownGaps();
  readonly #neighbours: Neighbours;

  constructor(table: LmdbTable, { name, head, damage, writeState }: SealedRecordsOptions) {
    this.#table = table;
    this.#neighbours = new Neighbours(table);
    this.#head = head;
    this.#damage = damage;
    this.#writeState = writeState;
    this.#seal = new RecordSeal(name);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const stored = this.#stored(key);
    return stored && payloadOf(stored);
  }

  peek(key: Uint8Array): Uint8Array | undefined {
    const stored = this.#table.getBinary(key);
    if (stored === undefined) return undefined;
    this.#assertIntact(key, stored);
    return payloadOf(stored);
  }

  copyTo(key: Uint8Array, into: Uint8Array): number | undefined {
    const value = this.get(key);
    if (value !== undefined) into.set(value.subarray(0, into.length));
    return value?.length;
  }

  has(key: Uint8Array): boolean {
    return this.#stored(key) !== undefined;
  }

  #stored(key: Uint8Array): Uint8Array | undefined {
    const stored = this.#table.getBinary(key);
    if (stored === undefined) this.#assertAbsent(key);
    else this.#assertIntact(key, stored);
    return stored;
  }

  *range(range: Range): Generator<Entry> {
    if (range.limit !== undefined && range.limit <= 0) return;
    yield* range.reverse ? this.#descending(range) : this.#ascending(range);
  }

  *keys(range: Range): Generator<Uint8Array> {
    for (const { key } of this.range(range)) yield key;
  }

  last(range: Range): Entry | undefined {
    const { low, high } = ends(range);
    const found = this.#recordBefore(high ?? lastKey);
    const above = high && this.#neighbours.keyAtOrAfter(high);
    if (found === undefined) {
      this.#assertIsFirst(above);
      return undefined;
    }
    this.#assertIsAfter(found, above);
    return Buffer.compare(found.key, low) < 0 ? undefined : { key: found.key, value: payloadOf(found.value) };
  }

  *#ascending(range: Range): Generator<Entry> {
    const { low, high } = ends(range);
    let link = this.#linkBefore(low);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    // Read without an upper bound: the record after the range proves that its end is complete.
    for (const entry of this.#table.getRange({ start: low })) {
      const key = copy(entry.key);
      if (linkTo(key) !== link) throw this.#damage('a record is missing or misplaced before it', key);
      if (high && Buffer.compare(key, high) >= 0) return;
      const stored = copy(entry.value);
      this.#assertIntact(key, stored);
      yield { key, value: payloadOf(stored) };
      link = linkOf(stored);
      if (--left === 0) return;
    }
    if (link !== endLink) throw this.#damage('records are missing at its end');
  }

  *#descending(range: Range): Generator<Entry> {
    const { low, high } = ends(range);
    let above = high && this.#neighbours.keyAtOrAfter(high);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    const from = { ...downwards, start: high ?? lastKey };
    for (const entry of this.#table.getRange(from)) {
      const key = copy(entry.key);
      const stored = copy(entry.value);
      this.#assertIntact(key, stored);
      this.#assertIsAfter({ key, value: stored }, above);
      if (Buffer.compare(key, low) < 0) return;
      yield { key, value: payloadOf(stored) };
      above = key;
      if (--left === 0) return;
    }
    this.#assertIsFirst(above);
  }

  #assertIsAfter({ key, value }: Entry, above: Uint8Array | undefined): void {
    if (linkOf(value) !== linkTo(above)) throw this.#damage('a record is missing or misplaced after it', key);
  }

  #assertIsFirst(key: Uint8Array | undefined): void {
    if (this.#headLink() !== linkTo(key)) throw this.#damage('records are missing at its beginning');
  }

  /** Yields for each record in order its damage, or `undefined`. Continues after damage, for reports. */
  *inspect(): Generator<Damage | undefined> {
    let link: number | undefined = this.#headLink();
    for (const entry of this.#table.getRange({ start: firstKey })) {
      const key = copy(entry.key);
      const stored = copy(entry.value);
      if (link !== undefined && linkTo(key) !== link)
        yield { damage: 'a record is missing or misplaced before it', key };
      const isIntact = this.#seal.isIntact(key, stored);
      link = isIntact ? linkOf(stored) : undefined;
      yield isIntact ? undefined : { damage: 'its checksum does not match', key };
    }
    if (link !== undefined && link !== endLink) yield { damage: 'records are missing at its end' };
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const stored = this.#table.getBinary(key);
    if (stored !== undefined) {
      this.#assertIntact(key, stored);
      this.#writeState.writes++;
      this.#table.putSync(key, this.#seal.close(key, linkOf(stored), value));
      return;
    }
    const before = this.#isKnownAbsent(key) ? this.#absent?.before : this.#recordBefore(key);
    this.#writeState.writes++;
    const link = before ? linkOf(before.value) : this.#headLink();
    this.#table.putSync(key, this.#seal.close(key, link, value));
    this.#relink(before, linkTo(key));
  }

  remove(key: Uint8Array): boolean {
    // An absent key is not verified against its neighbours, since nothing is written; reads verify it.
    const stored = this.#table.getBinary(key);
    if (stored === undefined) return false;
    this.#assertIntact(key, stored);
    const before = this.#recordBefore(key);
    this.#writeState.writes++;
    if ((before ? linkOf(before.value) : this.#headLink()) !== linkTo(key))
      throw this.#damage('a record is missing or misplaced before it', key);
    this.#relink(before, linkOf(stored));
    return this.#table.removeSync(key);
  }

  #relink(record: Entry | undefined, link: number): void {
    if (record === undefined) this.#head.write(link);
    else this.#table.putSync(record.key, this.#seal.close(record.key, link, payloadOf(record.value)));
  }

  #assertIntact(key: Uint8Array, stored: Uint8Array): void {
    if (!this.#seal.isIntact(key, stored)) throw this.#damage('its checksum does not match', key);
  }

  /** Verifies that the neighbours of an absent key are linked to each other. */
  #assertAbsent(key: Uint8Array): void {
    const gap = this.#gaps.find(key);
    const { before } = (gap && this.#readGap(gap)) ?? this.#proveAbsent(key);
    const { isWriting, writes } = this.#writeState;
    this.#absent = isWriting ? { key: copy(key), before, writes } : undefined;
  }

  /** Verifies that the neighbours of an absent key are linked to each other. */
  #proveAbsent(key: Uint8Array): { readonly before: Entry | undefined } {
    const before = this.#recordBefore(key);
    const link = before ? linkOf(before.value) : this.#headLink();
    const after = this.#neighbours.keyAtOrAfter(key);
    if (link !== linkTo(after)) throw this.#damage('records around it are missing', key);
    this.#gaps.add(key, { before: before?.key, after });
    return { before };
  }

  /** Reads the record before a gap; `undefined` unless its neighbours are still linked, so that no record can lie between them. */
  #readGap({ before, after }: Gap): { readonly before: Entry | undefined } | undefined {
    if (after !== undefined && !this.#table.doesExist(after)) return undefined;
    if (before === undefined) return this.#headLink() === linkTo(after) ? { before: undefined } : undefined;
    const value = this.#table.getBinary(before);
    const isLinked = value !== undefined && this.#seal.isIntact(before, value) && linkOf(value) === linkTo(after);
    return isLinked ? { before: { key: before, value } } : undefined;
  }

  /** Reports whether the last lookup found this key absent, in this transaction and without a write since. */
  #isKnownAbsent(key: Uint8Array): boolean {
    if (this.#absent?.writes !== this.#writeState.writes || !this.#writeState.isWriting) return false;
    return Buffer.compare(this.#absent.key, key) === 0;
  }

  #linkBefore(key: Uint8Array): number {
    const before = this.#recordBefore(key);
    return before ? linkOf(before.value) : this.#headLink();
  }

  #headLink(): number {
    return this.#head.read() ?? endLink;
  }

  /** Returns the stored record with the greatest key below this one. */
  #recordBefore(key: Uint8Array): Entry | undefined {
    const found = this.#neighbours.before(key);
    if (found) this.#assertIntact(found.key, found.value);
    return found;
  }
}

/** State of writes that all tables of an environment share in this thread. */
export interface WriteState {
  /** True while the action of a transaction runs. */
  readonly isWriting: boolean;
  /** Number of writes and transaction starts. */
  writes: number;
}

export interface SealedRecordsOptions {
  readonly name: string;
  readonly head: ListHead;
  readonly damage: DamageError;
  readonly writeState: WriteState;
}
