// Clients read the same transactions repeatedly: rows debug_traceTransaction of tools/bench/peers.mjs. describe-chain-store.ts
// compares places before and after reorgs.
import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import type { Database } from '@cairn/embedded-store';
import { LRUCache } from 'lru-cache';

/** Block of a transaction, and its index in it. */
export interface TransactionPlace {
  readonly blockHash: Hex;
  readonly index: number;
}

/** Some 300 bytes each. */
const placesMax = 2_048;
const hashBytes = 32;

/** Reads places of transactions. A place that was read is kept: it is right as long as its block is canonical. */
export class TransactionPlaces {
  readonly #table: Database;
  readonly #known = new LRUCache<Hex, TransactionPlace>({ max: placesMax });

  constructor(table: Database) {
    this.#table = table;
  }

  /** Returns the place of a transaction in the canonical chain. */
  find(hash: Hex, isCanonical: (blockHash: Hex) => boolean): TransactionPlace | undefined {
    const known = this.#known.get(hash);
    if (known !== undefined && isCanonical(known.blockHash)) return known;
    const read = this.#read(hash);
    if (read === undefined || !isCanonical(read.blockHash)) return undefined;
    this.#known.set(hash, read);
    return read;
  }

  #read(hash: Hex): TransactionPlace | undefined {
    const found = this.#table.get(bytesFromHex(hash));
    if (found === undefined) return undefined;
    const place = Buffer.from(found);
    return { blockHash: hexFromBytes(place.subarray(0, hashBytes)), index: place.readUInt32BE(hashBytes) };
  }
}
