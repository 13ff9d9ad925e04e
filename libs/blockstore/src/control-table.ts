import type { Database } from '@cairn/embedded-store';
import { blockId } from './index-record.ts';

const sumsKey = Buffer.from('sums');
const cycleKey = Buffer.from('cycle');
const ownedFromKey = Buffer.from('ownedFrom');

/** State of garbage collection. */
export interface Cycle {
  /** Incremented by every collection and by every removal of an owner. */
  readonly number: number;
  /** Number with which the last collection began; absent when no removal followed it. */
  readonly collection?: number;
  /** Blocks touched in this cycle or later stay. */
  readonly keepFrom: number;
}

/** Sum of all block lengths, and the sequence number of the next block. */
export interface BlockSums {
  readonly bytes: bigint;
  readonly next: bigint;
}

/** Sums, cycle and the boundary of shared blocks of the LMDB store. Methods that write run inside a transaction. */
export class ControlTable {
  readonly #table: Database;
  /** The cycle that was read last, as stored and parsed: it changes rarely, and each write reads it several times. */
  #lastCycle: { readonly stored: Uint8Array; readonly cycle: Cycle } | undefined;

  constructor(table: Database) {
    this.#table = table;
  }

  sums(): BlockSums {
    const found = this.#table.get(sumsKey);
    if (found === undefined) return { bytes: 0n, next: 0n };
    const buffer = Buffer.from(found);
    return { bytes: buffer.readBigUInt64BE(), next: buffer.readBigUInt64BE(8) };
  }

  putSums({ bytes, next }: BlockSums): void {
    const sums = Buffer.alloc(16);
    sums.writeBigUInt64BE(bytes);
    sums.writeBigUInt64BE(next, 8);
    this.#table.put(sumsKey, sums);
  }

  cycle(): Cycle {
    const found = this.#table.get(cycleKey);
    if (found === undefined) return { number: 0, keepFrom: 0 };
    if (this.#lastCycle === undefined || Buffer.compare(found, this.#lastCycle.stored) !== 0)
      this.#lastCycle = { stored: found, cycle: JSON.parse(Buffer.from(found).toString()) as Cycle };
    return this.#lastCycle.cycle;
  }

  /**
   * Returns the cycle and stores the first one. Looking up an absent record is expensive, since its neighbours prove that it is
   * absent (tools/bench/peers.mjs, row `add 4 KiB`).
   */
  storedCycle(): Cycle {
    const cycle = this.cycle();
    if (cycle.number === 0 && this.#table.get(cycleKey) === undefined) this.putCycle(cycle);
    return cycle;
  }

  putCycle(cycle: Cycle): void {
    this.#table.put(cycleKey, Buffer.from(JSON.stringify(cycle)));
  }

  /** Returns the number with which the last collection began. */
  collection(): number {
    const { number, collection } = this.cycle();
    return collection ?? number;
  }

  /** Blocks with a lower id count as shared by several owners. */
  ownedFrom(): Uint8Array {
    return this.#table.get(ownedFromKey) ?? blockId(0n);
  }

  /** Makes all blocks stored so far count as shared. */
  disownAll(): void {
    this.#table.put(ownedFromKey, blockId(this.sums().next));
  }
}
