import { type CID, codecs } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import type { Block } from './blockstore.ts';
import { type ClaimExpiry, ClaimTables, type Stamp } from './claim-tables.ts';
import type { ClaimOptions, DiscardResult } from './claims.ts';
import { ControlTable } from './control-table.ts';
import { blockId, decodeRecord, encodeRecord, type IndexRecord } from './index-record.ts';
import { isMarked } from './is-marked.ts';

/** A touch within this many seconds of the last one in the same cycle is not written. */
const touchEverySeconds = 60;

/** A pending block and its owner; 0 for none. */
export interface OwnedBlock {
  readonly block: Block;
  readonly owner: number;
  /** See {@link IndexRecord.isPbLeaf}. */
  readonly isPbLeaf: boolean;
}

/** Returns the owner of a block after `owner` has put or touched it too: 0 for several owners. */
function ownerAfter(known: Pick<IndexRecord, 'owner'>, owner: number): number {
  return known.owner === owner ? owner : 0;
}

const noMark = { mark: 0, markedAs: codecs.raw };

/**
 * The tables of the LMDB store. The index maps a multihash to a sequence number and the facts for collection; the bytes are
 * stored under that number.
 *
 * Lookups, marks and deletions thus read no block bytes, and blocks are appended. Under random keys each write would touch
 * a page of its own. The system maps 64 KiB around a touched page, so an upload would add its size to resident memory.
 * Methods that write run inside a transaction of the environment, which also updates the sums.
 */
export class BlockTables {
  readonly #blocks: Database;
  readonly #index: Database;
  readonly #quarantine: Database;
  readonly control: ControlTable;
  readonly claims: ClaimTables;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#blocks = environment.database('blocks');
    this.#index = environment.database('index');
    this.#quarantine = environment.database('quarantine');
    this.control = new ControlTable(environment.database('sums'));
    this.claims = new ClaimTables(environment);
    this.#now = now;
  }

  record(key: Uint8Array): IndexRecord | undefined {
    const found = this.#index.get(key);
    return found && decodeRecord(found);
  }

  bytes({ id }: Pick<IndexRecord, 'id'>): Uint8Array | undefined {
    return this.#blocks.get(id);
  }

  /** Copies the bytes of a block into a buffer, and returns their number. */
  copyTo({ id }: Pick<IndexRecord, 'id'>, into: Uint8Array): number | undefined {
    return this.#blocks.copyTo(id, into);
  }

  count(): number {
    return this.#index.count();
  }

  /** Returns index entries in the order of their multihashes, from `start`. */
  page(
    start: Uint8Array | undefined,
    limit: number,
  ): readonly { readonly key: Uint8Array; readonly value: Uint8Array }[] {
    return [...this.#index.range({ ...(start && { start }), limit })];
  }

  quarantinePage(start: Uint8Array | undefined, limit: number): readonly Uint8Array[] {
    return [...this.#quarantine.keys({ ...(start && { start }), limit })];
  }

  /** Adds new blocks, touches known ones, and replaces the bytes of quarantined ones. */
  put(entries: readonly OwnedBlock[]): void {
    const { bytes: bytesBefore, next: nextBefore } = this.control.sums();
    const stamp = this.#stamp();
    let next = nextBefore;
    let sum = bytesBefore;
    const added: (readonly [id: Uint8Array, bytes: Uint8Array])[] = [];
    // All index entries before all blocks, so that the pages of each tree are adjacent in the file.
    for (const {
      block: { cid, bytes },
      owner,
      isPbLeaf,
    } of entries) {
      const key = cid.multihash.bytes;
      const known = this.record(key);
      if (known === undefined) {
        const id = blockId(next++);
        this.#index.put(
          key,
          encodeRecord({
            id,
            length: bytes.length,
            ...stamp,
            ...noMark,
            owner,
            isQuarantined: false,
            isClaimed: false,
            isPbLeaf,
          }),
        );
        sum += BigInt(bytes.length);
        added.push([id, bytes]);
      } else if (known.isQuarantined) {
        this.#index.put(
          key,
          encodeRecord({
            ...known,
            length: bytes.length,
            ...stamp,
            owner: ownerAfter(known, owner),
            isQuarantined: false,
            isPbLeaf: isPbLeaf || known.isPbLeaf,
          }),
        );
        this.#quarantine.remove(key);
        sum += BigInt(bytes.length - known.length);
        added.push([known.id, bytes]);
      } else this.#touch(key, known, stamp, owner, isPbLeaf);
    }
    for (const [id, bytes] of added) this.#blocks.put(id, bytes);
    if (added.length > 0) this.control.putSums({ bytes: sum, next });
  }

  touch(cids: readonly CID[], owner: number): void {
    const stamp = this.#stamp();
    for (const { multihash } of cids) {
      const known = this.record(multihash.bytes);
      if (known) this.#touch(multihash.bytes, known, stamp, owner);
    }
  }

  /** Reports whether a touch by this owner need not be written. */
  isFresh(known: IndexRecord, cycle: number, owner: number): boolean {
    const { touchedAt, touchedIn } = known;
    if (known.owner !== ownerAfter(known, owner)) return false;
    return touchedIn === cycle && Math.abs(this.seconds() - touchedAt) < touchEverySeconds;
  }

  #touch(key: Uint8Array, known: IndexRecord, stamp: Stamp, owner: number, isPbLeaf = false): void {
    const isLeaf = isPbLeaf || known.isPbLeaf;
    if (this.isFresh(known, stamp.touchedIn, owner) && isLeaf === known.isPbLeaf) return;
    this.#index.put(key, encodeRecord({ ...known, ...stamp, owner: ownerAfter(known, owner), isPbLeaf: isLeaf }));
  }

  #stamp(): Stamp {
    return { touchedAt: this.seconds(), touchedIn: this.control.storedCycle().number };
  }

  /** Seconds since 1970. */
  seconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  mark(cids: readonly CID[], cycle: number): void {
    for (const { code, multihash } of cids) {
      const known = this.record(multihash.bytes);
      if (known && !isMarked(known, code, cycle))
        this.#index.put(multihash.bytes, encodeRecord({ ...known, mark: cycle, markedAs: code }));
    }
  }

  claim(cids: readonly CID[], owner: number, { isLeftover = false }: ClaimOptions): void {
    const stamp = this.#stamp();
    for (const { multihash } of cids) {
      const known = this.record(multihash.bytes);
      if (known === undefined) continue;
      if (!known.isClaimed) this.#index.put(multihash.bytes, encodeRecord({ ...known, isClaimed: true }));
      this.claims.put(multihash.bytes, owner, { bytes: known.length, isCounted: !isLeftover }, stamp);
    }
  }

  unclaim(key: Uint8Array, owners: readonly number[]): void {
    for (const owner of owners) this.claims.remove(key, owner);
    const known = this.record(key);
    if (known?.isClaimed && this.claims.ownersOf(key).length === 0)
      this.#index.put(key, encodeRecord({ ...known, isClaimed: false }));
  }

  expireClaims(key: Uint8Array, expiry: ClaimExpiry): void {
    const expired = this.claims.expired(key, expiry);
    if (expired.length > 0) this.unclaim(key, expired);
  }

  discard(key: Uint8Array, { owner, keepFrom }: { readonly owner: number; readonly keepFrom: number }): DiscardResult {
    const known = this.record(key);
    if (known === undefined) return 'absent';
    if (known.owner !== owner || Buffer.compare(known.id, this.control.ownedFrom()) < 0) {
      this.unclaim(key, [owner]);
      return 'shared';
    }
    if (known.touchedIn >= keepFrom) return 'busy';
    this.remove([key]);
    return 'removed';
  }

  remove(keys: readonly Uint8Array[]): void {
    const sums = this.control.sums();
    let removed = 0n;
    for (const key of keys) {
      const known = this.record(key);
      if (known === undefined) continue;
      this.#blocks.remove(known.id);
      this.#index.remove(key);
      if (known.isQuarantined) this.#quarantine.remove(key);
      if (known.isClaimed) for (const owner of this.claims.ownersOf(key)) this.claims.remove(key, owner);
      removed += BigInt(known.length);
    }
    if (removed > 0n) this.control.putSums({ ...sums, bytes: sums.bytes - removed });
  }

  /** Returns false for a block that is absent or in quarantine. */
  quarantine(key: Uint8Array): boolean {
    const known = this.record(key);
    if (known === undefined || known.isQuarantined) return false;
    this.#index.put(key, encodeRecord({ ...known, isQuarantined: true }));
    this.#quarantine.put(key, Buffer.from(JSON.stringify({ at: this.#now() })));
    return true;
  }

  /** Streams the index as pairs of multihash and block id. */
  *ids(): Generator<{ readonly key: Uint8Array; readonly id: Uint8Array }> {
    for (const { key, value } of this.#index.range()) yield { key, id: decodeRecord(value).id };
  }

  /** Streams the ids of all stored bytes. */
  blockIds(): Iterable<Uint8Array> {
    return this.#blocks.keys();
  }

  hasBytes(id: Uint8Array): boolean {
    return this.#blocks.has(id);
  }

  /** Removes index records without bytes, with their claims. */
  forget(keys: readonly Uint8Array[]): void {
    for (const key of keys) {
      for (const owner of this.claims.ownersOf(key)) this.claims.remove(key, owner);
      this.#quarantine.remove(key);
      this.#index.remove(key);
    }
  }

  /** Adds an index record for bytes without one. Returns false if the block has other bytes. */
  adopt(key: Uint8Array, id: Uint8Array, length: number): boolean {
    if (this.record(key) !== undefined) return false;
    const isClaimed = this.claims.ownersOf(key).length > 0;
    const record = {
      id,
      length,
      ...this.#stamp(),
      ...noMark,
      owner: 0,
      isQuarantined: false,
      isClaimed,
      isPbLeaf: false,
    };
    this.#index.put(key, encodeRecord(record));
    return true;
  }

  /** Recomputes the sum of lengths and the next sequence number. */
  recount(): void {
    let bytes = 0n;
    let next = 0n;
    for (const { value } of this.#index.range()) {
      const { id, length } = decodeRecord(value);
      bytes += BigInt(length);
      const after = Buffer.from(id).readBigUInt64BE() + 1n;
      if (after > next) next = after;
    }
    this.control.putSums({ bytes, next });
  }
}
