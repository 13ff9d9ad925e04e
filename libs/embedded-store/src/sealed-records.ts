// The hot path of every lookup of a sealed record.
import { endLink, linkOf, linkTo, payloadOf, RecordSeal } from './record-seal.ts';
import { copy, type Entry, firstKey, type LmdbTable, lastKey, prefixEnd, type Range, type Records } from './records.ts';

/** Makes the error for damage. Without a key it concerns the database as a whole. */
export type DamageError = (damage: string, key?: Uint8Array) => Error;

/** Damage found by an inspection; without a key it concerns the database as a whole. */
export interface Damage {
  readonly damage: string;
  readonly key?: Uint8Array;
}

/** Head of a list, kept apart from the list. */
export interface ListHead {
  /** Link to the first record of the database; `undefined` where none was ever written. */
  read(): number | undefined;
  write(link: number): void;
}

/**
 * Records with a checksum each, linked in the order of their keys: a record holds a hash of the key after its own.
 *
 * A damaged record fails its checksum. A lost, foreign or misplaced one breaks the link of its predecessor, so that no range
 * gets shorter and no key reads as absent unless the neighbours agree. The head is kept in another database: a
 * database that was lost as a whole does not read as empty.
 */
export class SealedRecords implements Records {
  readonly #table: LmdbTable;
  readonly #head: ListHead;
  readonly #damage: DamageError;
  readonly #seal: RecordSeal;
  readonly #clock: WriteState;
  /** The key that was found absent last, and the record before it: most writes of new records look for them first. */
  #absent: { readonly key: Uint8Array; readonly before: Entry | undefined; readonly writes: number } | undefined;

  constructor(table: LmdbTable, { name, head, damage, clock }: SealedRecordsOptions) {
    this.#table = table;
    this.#head = head;
    this.#damage = damage;
    this.#clock = clock;
    this.#seal = new RecordSeal(name);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const stored = this.#stored(key);
    return stored && payloadOf(stored);
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
    for (const entry of this.#descending({ ...range, limit: 1 })) return entry;
    return undefined;
  }

  *#ascending(range: Range): Generator<Entry> {
    const { low, high } = ends(range);
    let link = this.#linkBefore(low);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    // Without an end: the record after the range shows that nothing is missing at its end.
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
    let above = high && this.#from(high);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    const from = { ...downwards, start: high ?? lastKey };
    for (const entry of this.#table.getRange(from)) {
      const key = copy(entry.key);
      const stored = copy(entry.value);
      this.#assertIntact(key, stored);
      if (linkOf(stored) !== linkTo(above)) throw this.#damage('a record is missing or misplaced after it', key);
      if (Buffer.compare(key, low) < 0) return;
      yield { key, value: payloadOf(stored) };
      above = key;
      if (--left === 0) return;
    }
    if (this.#headLink() !== linkTo(above)) throw this.#damage('records are missing at its beginning');
  }

  /** Every record in order, each with what is wrong with it: goes on after damage, for reports. */
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
      this.#clock.writes++;
      this.#table.putSync(key, this.#seal.close(key, linkOf(stored), value));
      return;
    }
    const before = this.#isKnownAbsent(key) ? this.#absent?.before : this.#before(key);
    this.#clock.writes++;
    const link = before ? linkOf(before.value) : this.#headLink();
    this.#table.putSync(key, this.#seal.close(key, link, value));
    this.#relink(before, linkTo(key));
  }

  remove(key: Uint8Array): boolean {
    // Without a look at the neighbours: nothing depends on the answer, and reads do look.
    const stored = this.#table.getBinary(key);
    if (stored === undefined) return false;
    this.#assertIntact(key, stored);
    const before = this.#before(key);
    this.#clock.writes++;
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

  /** The neighbours of a key that is not found must be neighbours of each other. */
  #assertAbsent(key: Uint8Array): void {
    const before = this.#before(key);
    const link = before ? linkOf(before.value) : this.#headLink();
    if (link !== linkTo(this.#from(key))) throw this.#damage('records around it are missing', key);
    const { isWriting, writes } = this.#clock;
    this.#absent = isWriting ? { key: copy(key), before, writes } : undefined;
  }

  /** Within one transaction and before any further write. */
  #isKnownAbsent(key: Uint8Array): boolean {
    if (this.#absent?.writes !== this.#clock.writes || !this.#clock.isWriting) return false;
    return Buffer.compare(this.#absent.key, key) === 0;
  }

  #linkBefore(key: Uint8Array): number {
    const before = this.#before(key);
    return before ? linkOf(before.value) : this.#headLink();
  }

  #headLink(): number {
    return this.#head.read() ?? endLink;
  }

  /** The stored record with the greatest key below one. */
  #before(key: Uint8Array): Entry | undefined {
    const range = { ...downwards, start: key, limit: 1 };
    for (const entry of this.#table.getRange(range)) {
      const found = { key: copy(entry.key), value: copy(entry.value) };
      this.#assertIntact(found.key, found.value);
      return found;
    }
    return undefined;
  }

  /** The smallest key that is not below one. */
  #from(key: Uint8Array): Uint8Array | undefined {
    for (const found of this.#table.getKeys({ start: key, limit: 1 })) return copy(found);
    return undefined;
  }
}

/** All keys below a start. */
const downwards = { end: firstKey, inclusiveEnd: true, exclusiveStart: true, reverse: true } as const;

/** Shared by all tables of an environment in this thread. */
export interface WriteState {
  /** True while the action of a transaction runs. */
  readonly isWriting: boolean;
  /** Counts writes and beginnings of transactions. */
  writes: number;
}

export interface SealedRecordsOptions {
  readonly name: string;
  readonly head: ListHead;
  readonly damage: DamageError;
  readonly clock: WriteState;
}

function ends({ prefix, start, end }: Range): { readonly low: Uint8Array; readonly high: Uint8Array | undefined } {
  const low = prefix ?? start ?? firstKey;
  return { low: low.length === 0 ? firstKey : low, high: prefix ? prefixEnd(prefix) : end };
}
