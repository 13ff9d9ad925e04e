import { type Database, type Environment, prefixEnd } from '@cairn/embedded-store';
import type { BlockstoreStats } from './blockstore.ts';
import type { Claim } from './claims.ts';
import { cidOfKey } from './key-pages.ts';

/** When something was put, touched or claimed: seconds since 1970, and the cycle of that time. */
export interface Stamp {
  readonly touchedAt: number;
  readonly touchedIn: number;
}

/** Claims before this moment are past their grace, except those of a write that may be under way. */
export interface ClaimExpiry {
  /** Seconds since 1970. */
  readonly before: number;
  /** Claims of this cycle or later stay. */
  readonly keepFrom: number;
}

const ownerBytes = 6;

type ClaimSize = Pick<Claim, 'bytes' | 'isCounted'>;

/** Bytes and number of the claims of an owner that count, and the number of all. */
interface ClaimSums extends BlockstoreStats {
  readonly all: number;
}

const nothing: ClaimSums = { blocks: 0, bytes: 0, all: 0 };

/**
 * The claims of the LMDB store: `claims` by owner and multihash, `claimants` by multihash and owner, and `claimed`, the
 * sums by owner. Methods that write run inside a transaction of the environment, the sums in that of the claims.
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

  /** The claim of an owner on a block. */
  get(key: Uint8Array, owner: number): ClaimSize | undefined {
    const found = this.#claims.get(claimKey(owner, key));
    return found && decode(found);
  }

  /** Whether an owner claims anything, counted or not. Costs no walk. */
  hasAny(owner: number): boolean {
    return this.#claimed.has(ownerKey(owner));
  }

  /** Adds a claim, or makes one anew. */
  put(key: Uint8Array, owner: number, size: ClaimSize, { touchedAt, touchedIn }: Stamp): void {
    const before = this.get(key, owner);
    const isCounted = size.isCounted || before?.isCounted === true;
    const value = Buffer.alloc(13);
    value.writeUInt32BE(size.bytes);
    value.writeUInt32BE(touchedAt, 4);
    value.writeUInt32BE(touchedIn, 8);
    value.writeUInt8(isCounted ? 1 : 0, 12);
    this.#claims.put(claimKey(owner, key), value);
    if (before === undefined) this.#claimants.put(claimantKey(key, owner), Buffer.of(1));
    this.#change(owner, before, { bytes: size.bytes, isCounted });
  }

  /** Ends a claim, if there is one. */
  remove(key: Uint8Array, owner: number): void {
    const before = this.get(key, owner);
    if (before === undefined) return;
    this.#claims.remove(claimKey(owner, key));
    this.#claimants.remove(claimantKey(key, owner));
    this.#change(owner, before, undefined);
  }

  /** The owners that claim a block. */
  ownersOf(key: Uint8Array): number[] {
    return [...this.#claimants.keys({ prefix: key })].map((found) =>
      Buffer.from(found).readUIntBE(key.length, ownerBytes),
    );
  }

  /** The owners whose claim on a block is past its grace. */
  expired(key: Uint8Array, { before, keepFrom }: ClaimExpiry): number[] {
    return this.ownersOf(key).filter((owner) => {
      const found = this.#claims.get(claimKey(owner, key));
      if (found === undefined) return true;
      const value = Buffer.from(found);
      return value.readUInt32BE(4) <= before && value.readUInt32BE(8) < keepFrom;
    });
  }

  /** Number and lengths of the claims of an owner that count. */
  sums(owner: number): BlockstoreStats {
    const { blocks, bytes } = this.#sums(owner);
    return { blocks, bytes };
  }

  #sums(owner: number): ClaimSums {
    const found = this.#claimed.get(ownerKey(owner));
    if (found === undefined) return nothing;
    const value = Buffer.from(found);
    const [blocks, bytes, all] = [0, 8, 16].map((at) => Number(value.readBigUInt64BE(at)));
    return { blocks: blocks ?? 0, bytes: bytes ?? 0, all: all ?? 0 };
  }

  /** Claims of an owner in the order of their multihashes, after one. */
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
    const value = Buffer.alloc(24);
    value.writeBigUInt64BE(BigInt(sums.blocks + is.blocks - was.blocks));
    value.writeBigUInt64BE(BigInt(sums.bytes + is.bytes - was.bytes), 8);
    value.writeBigUInt64BE(BigInt(all), 16);
    this.#claimed.put(ownerKey(owner), value);
  }
}

function sumOf(claim: ClaimSize | undefined): ClaimSums {
  if (claim === undefined) return nothing;
  return claim.isCounted ? { blocks: 1, bytes: claim.bytes, all: 1 } : { ...nothing, all: 1 };
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
