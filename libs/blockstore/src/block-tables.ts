import { type CID, codecs } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import type { Block } from './blockstore.ts';
import { type ClaimExpiry, ClaimTables, type Stamp } from './claim-tables.ts';
import type { ClaimOptions, DiscardResult } from './claims.ts';
import { blockId, decodeRecord, encodeRecord, type IndexRecord } from './index-record.ts';
import { isMarked } from './is-marked.ts';

const sumsKey = Buffer.from('sums');
const cycleKey = Buffer.from('cycle');
const ownedFromKey = Buffer.from('ownedFrom');
/** A block touched less than this many seconds ago in the same cycle is not written again. */
const touchEverySeconds = 60;

/** A block on its way to the disk, and who puts it; 0 for nobody in particular. */
export interface OwnedBlock {
  readonly block: Block;
  readonly owner: number;
}

/** The owner of a block after `owner` has put or touched it too. */
function ownerOf(known: Pick<IndexRecord, 'owner'>, owner: number): number {
  return known.owner === owner ? owner : 0;
}

const noMark = { mark: 0, markedAs: codecs.raw };

/** Where the time of the store stands, and the collection that runs or ran last. */
export interface Cycle {
  /** Counted up by every collection, and by every removal of an owner. */
  readonly number: number;
  /** The number with which the last collection began; absent where no removal has counted up since. */
  readonly collection?: number;
  /** Blocks touched in this cycle or later stay. */
  readonly keepFrom: number;
}

/**
 * The tables of the LMDB store and every change to them. An index leads from multihash to a running number and what
 * collection must know, the bytes lie by number.
 *
 * Asking for a length, marking or deleting a block thus reads none of its bytes, and blocks are appended: under random
 * keys each would touch its own page of a tree that lies scattered among the blocks, and the system maps 64 KiB around a
 * page touched, so that an upload would count its own size as resident memory. Methods that write run inside a
 * transaction of the environment; sums are kept in the transaction that changes them.
 */
export class BlockTables {
  readonly #blocks: Database;
  readonly #index: Database;
  readonly #sums: Database;
  readonly #quarantine: Database;
  readonly claims: ClaimTables;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#blocks = environment.database('blocks');
    this.#index = environment.database('index');
    this.#sums = environment.database('sums');
    this.#quarantine = environment.database('quarantine');
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

  count(): number {
    return this.#index.count();
  }

  /** Multihashes in order, from `start` on. */
  page(
    start: Uint8Array | undefined,
    limit: number,
  ): readonly { readonly key: Uint8Array; readonly value: Uint8Array }[] {
    return [...this.#index.range({ ...(start && { start }), limit })];
  }

  quarantinePage(start: Uint8Array | undefined, limit: number): readonly Uint8Array[] {
    return [...this.#quarantine.keys({ ...(start && { start }), limit })];
  }

  /** Adds what is not there yet and touches what is; the bytes of a quarantined block are written anew. */
  put(entries: readonly OwnedBlock[]): void {
    const { bytes: bytesBefore, next: nextBefore } = this.sums();
    const stamp = this.#stamp();
    let next = nextBefore;
    let sum = bytesBefore;
    const added: (readonly [id: Uint8Array, bytes: Uint8Array])[] = [];
    // First the index, then the blocks: pages of the tree come to lie side by side.
    for (const {
      block: { cid, bytes },
      owner,
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
            owner: ownerOf(known, owner),
            isQuarantined: false,
          }),
        );
        this.#quarantine.remove(key);
        sum += BigInt(bytes.length - known.length);
        added.push([known.id, bytes]);
      } else this.#touch(key, known, stamp, owner);
    }
    for (const [id, bytes] of added) this.#blocks.put(id, bytes);
    if (added.length > 0) this.#putSums({ bytes: sum, next });
  }

  touch(cids: readonly CID[], owner: number): void {
    const stamp = this.#stamp();
    for (const { multihash } of cids) {
      const known = this.record(multihash.bytes);
      if (known) this.#touch(multihash.bytes, known, stamp, owner);
    }
  }

  isFresh(known: IndexRecord, cycle: number, owner: number): boolean {
    const { touchedAt, touchedIn } = known;
    if (known.owner !== ownerOf(known, owner)) return false;
    return touchedIn === cycle && Math.abs(this.seconds() - touchedAt) < touchEverySeconds;
  }

  #touch(key: Uint8Array, known: IndexRecord, stamp: Stamp, owner: number): void {
    if (this.isFresh(known, stamp.touchedIn, owner)) return;
    this.#index.put(key, encodeRecord({ ...known, ...stamp, owner: ownerOf(known, owner) }));
  }

  #stamp(): Stamp {
    return { touchedAt: this.seconds(), touchedIn: this.cycle().number };
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
    if (known.owner !== owner || Buffer.compare(known.id, this.#ownedFrom()) < 0) {
      this.unclaim(key, [owner]);
      return 'shared';
    }
    if (known.touchedIn >= keepFrom) return 'busy';
    this.remove([key]);
    return 'removed';
  }

  /** Blocks with an id below this one count as put by several owners. */
  #ownedFrom(): Uint8Array {
    return this.#sums.get(ownedFromKey) ?? blockId(0n);
  }

  disownAll(): void {
    this.#sums.put(ownedFromKey, blockId(this.sums().next));
  }

  remove(keys: readonly Uint8Array[]): void {
    const sums = this.sums();
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
    if (removed > 0n) this.#putSums({ ...sums, bytes: sums.bytes - removed });
  }

  quarantine(key: Uint8Array): void {
    const known = this.record(key);
    if (known === undefined || known.isQuarantined) return;
    this.#index.put(key, encodeRecord({ ...known, isQuarantined: true }));
    this.#quarantine.put(key, Buffer.from(JSON.stringify({ at: this.#now() })));
  }

  /** Keys of the index with the ids of their blocks. */
  *ids(): Generator<{ readonly key: Uint8Array; readonly id: Uint8Array }> {
    for (const { key, value } of this.#index.range()) yield { key, id: decodeRecord(value).id };
  }

  /** Ids of all blocks that have bytes. */
  blockIds(): Iterable<Uint8Array> {
    return this.#blocks.keys();
  }

  hasBytes(id: Uint8Array): boolean {
    return this.#blocks.has(id);
  }

  /** Removes index records whose bytes are lost, with their claims. */
  forget(keys: readonly Uint8Array[]): void {
    for (const key of keys) {
      for (const owner of this.claims.ownersOf(key)) this.claims.remove(key, owner);
      this.#quarantine.remove(key);
      this.#index.remove(key);
    }
  }

  /** Adds an index record for bytes that have none; false where the block has other bytes. */
  adopt(key: Uint8Array, id: Uint8Array, length: number): boolean {
    if (this.record(key) !== undefined) return false;
    const isClaimed = this.claims.ownersOf(key).length > 0;
    const record = { id, length, ...this.#stamp(), ...noMark, owner: 0, isQuarantined: false, isClaimed };
    this.#index.put(key, encodeRecord(record));
    return true;
  }

  /** Sums all lengths anew, and sets the next id behind the last one. */
  recount(): void {
    let bytes = 0n;
    let next = 0n;
    for (const { value } of this.#index.range()) {
      const { id, length } = decodeRecord(value);
      bytes += BigInt(length);
      const after = Buffer.from(id).readBigUInt64BE() + 1n;
      if (after > next) next = after;
    }
    this.#putSums({ bytes, next });
  }

  cycle(): Cycle {
    const found = this.#sums.get(cycleKey);
    return found ? (JSON.parse(Buffer.from(found).toString()) as Cycle) : { number: 0, keepFrom: 0 };
  }

  /** The number with which the last collection began. */
  collection(): number {
    const { number, collection } = this.cycle();
    return collection ?? number;
  }

  putCycle(cycle: Cycle): void {
    this.#sums.put(cycleKey, Buffer.from(JSON.stringify(cycle)));
  }

  /** Sum of all lengths, and the number of the next block. */
  sums(): { readonly bytes: bigint; readonly next: bigint } {
    const sums = this.#sums.get(sumsKey);
    if (sums === undefined) return { bytes: 0n, next: 0n };
    const buffer = Buffer.from(sums);
    return { bytes: buffer.readBigUInt64BE(), next: buffer.readBigUInt64BE(8) };
  }

  #putSums({ bytes, next }: { readonly bytes: bigint; readonly next: bigint }): void {
    const sums = Buffer.alloc(16);
    sums.writeBigUInt64BE(bytes);
    sums.writeBigUInt64BE(next, 8);
    this.#sums.put(sumsKey, sums);
  }
}
