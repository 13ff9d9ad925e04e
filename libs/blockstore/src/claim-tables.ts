import { type Database, type Environment, prefixEnd } from '@cairn/embedded-store';
import type { BlockstoreStats } from './blockstore.ts';
import type { Claim } from './claims.ts';
import { cidOfKey } from './key-pages.ts';

/** Time of a put, touch or claim. */
export interface Stamp {
  /** Seconds since 1970. */
  readonly touchedAt: number;
  /** Collection cycle. */
  readonly touchedIn: number;
}

/** Bounds of the claims that are past their grace period. */
export interface ClaimExpiry {
  /** Seconds since 1970. Later claims stay. */
  readonly before: number;
  /** Claims of this cycle or later stay, since an open write may rely on them. */
  readonly keepFrom: number;
}

const ownerBytes = 6;

type ClaimSize = Pick<Claim, 'bytes' | 'isCounted'>;

/** Bytes and number of the counted claims of an owner, and the number of all its claims. */
interface ClaimSums extends BlockstoreStats {
  readonly all: number;
}

const noClaims: ClaimSums = { blocks: 0, bytes: 0, all: 0 };

/**
 * Claims of the LMDB store in three tables: `claims` by owner and multihash, `claimants` by multihash and owner, and
 * `claimed`, the sums by owner. Methods that write run inside a transaction, which changes claims and sums together.
 */
export class ClaimTables {
  readonly #claims: Database;
  readonly #claimants: Database;
  readonly #claimed: Database;

  constructor(environment: Environment) {
    this.#claims = environment.database('claims');
    this.#claimants = environment.database('claimants');
    this.#claimed = environment.database('claimed');
  }

  /** Returns the claim of an owner on a block. */
  get(key: Uint8Array, owner: number): ClaimSize | undefined {
    const found = this.#claims.get(claimKey(owner, key));
    return found && decode(found);
  }

  /** Reports whether an owner has any claim, counted or not. One lookup. */
  hasAny(owner: number): boolean {
    return this.#claimed.has(ownerKey(owner));
  }

  /** Adds a claim or renews it. */
  put(key: Uint8Array, owner: number, size: ClaimSize, { touchedAt, touchedIn }: Stamp): void {
    const before = this.get(key, owner);
    const isCounted = size.isCounted || before?.isCounted === true;
    const value = Buffer.allocUnsafe(13);
    value.writeUInt32BE(size.bytes);
    value.writeUInt32BE(touchedAt, 4);
    value.writeUInt32BE(touchedIn, 8);
    value.writeUInt8(isCounted ? 1 : 0, 12);
    this.#claims.put(claimKey(owner, key), value);
    if (before === undefined) this.#claimants.put(claimantKey(key, owner), Buffer.of(1));
    this.#change(owner, before, { bytes: size.bytes, isCounted });
  }

  /** Ends a claim. Does nothing without one. */
  remove(key: Uint8Array, owner: number): void {
    const before = this.get(key, owner);
    if (before === undefined) return;
    this.#claims.remove(claimKey(owner, key));
    this.#claimants.remove(claimantKey(key, owner));
    this.#change(owner, before, undefined);
  }

  /** Returns the owners that claim a block. */
  ownersOf(key: Uint8Array): number[] {
    return [...this.#claimants.keys({ prefix: key })].map((found) =>
      Buffer.from(found).readUIntBE(key.length, ownerBytes),
    );
  }

  /** Returns the owners whose claim on a block is past its grace period. */
  expired(key: Uint8Array, { before, keepFrom }: ClaimExpiry): number[] {
    return this.ownersOf(key).filter((owner) => {
      const found = this.#claims.get(claimKey(owner, key));
      if (found === undefined) return true;
      const value = Buffer.from(found);
      return value.readUInt32BE(4) <= before && value.readUInt32BE(8) < keepFrom;
    });
  }

  /** Returns number and bytes of the counted claims of an owner. */
  sums(owner: number): BlockstoreStats {
    const { blocks, bytes } = this.#sums(owner);
    return { blocks, bytes };
  }

  #sums(owner: number): ClaimSums {
    const found = this.#claimed.get(ownerKey(owner));
    if (found === undefined) return noClaims;
    const value = Buffer.from(found);
    const [blocks, bytes, all] = [0, 8, 16].map((at) => Number(value.readBigUInt64BE(at)));
    return { blocks: blocks ?? 0, bytes: bytes ?? 0, all: all ?? 0 };
  }

  /** Returns claims of an owner in the order of their multihashes, from the first one after `after`. */
  page(owner: number, after: Uint8Array | undefined, limit: number): Claim[] {
    const prefix = ownerKey(owner);
    const start = after ? Buffer.concat([prefix, after, Buffer.of(0)]) : prefix;
    const end = prefixEnd(prefix);
    return [...this.#claims.range({ start, ...(end && { end }), limit })].map(({ key, value }) => ({
      cid: cidOfKey(key.subarray(ownerBytes)),
      ...decode(value),
    }));
  }

  #change(owner: number, before: ClaimSize | undefined, now: ClaimSize | undefined): void {
    const sums = this.#sums(owner);
    const [was, is] = [sumOf(before), sumOf(now)];
    const all = sums.all + is.all - was.all;
    if (all === 0) {
      this.#claimed.remove(ownerKey(owner));
      return;
    }
    const value = Buffer.allocUnsafe(24);
    value.writeBigUInt64BE(BigInt(sums.blocks + is.blocks - was.blocks));
    value.writeBigUInt64BE(BigInt(sums.bytes + is.bytes - was.bytes), 8);
    value.writeBigUInt64BE(BigInt(all), 16);
    this.#claimed.put(ownerKey(owner), value);
  }
}

function sumOf(claim: ClaimSize | undefined): ClaimSums {
  if (claim === undefined) return noClaims;
  return claim.isCounted ? { blocks: 1, bytes: claim.bytes, all: 1 } : { ...noClaims, all: 1 };
}

function decode(value: Uint8Array): ClaimSize {
  const buffer = Buffer.from(value);
  return { bytes: buffer.readUInt32BE(), isCounted: buffer.readUInt8(12) === 1 };
}

function ownerKey(owner: number): Buffer {
  const key = Buffer.alloc(ownerBytes);
  key.writeUIntBE(owner, 0, ownerBytes);
  return key;
}

function claimKey(owner: number, key: Uint8Array): Buffer {
  return Buffer.concat([ownerKey(owner), key]);
}

function claimantKey(key: Uint8Array, owner: number): Buffer {
  return Buffer.concat([key, ownerKey(owner)]);
}
