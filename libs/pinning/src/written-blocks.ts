import type { Block } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { isLeaf } from './links.ts';
import { blockKey } from './walk-dag.ts';

/**
 * Maximum numbers of block names in memory. A name takes about 150 bytes. To list one as a leftover costs more than the write of
 * its block: with 8,192 names, an add of 50,000 blocks of 256 bytes took four times as much CPU time.
 */
const limits = {
  /** Limit of a session while others need the room: 1.2 MiB. */
  namesMin: 8_192,
  /** Limit of a session: 19 MiB. */
  namesMax: 131_072,
  /** Limit of all sessions of a process: 38 MiB, and `namesMin` of each session. */
  namesOfAll: 262_144,
} as const;

/** Names that all sessions of a process have in memory. */
export class NameCount {
  names = 0;
}

/** Name and kind of a block. The bytes of a written block may be in a lent buffer, so they are not kept. */
export interface BlockName {
  readonly key: string;
  /** Length in bytes. */
  readonly length: number;
  /** Codec with which the block has no links; absent for a block that has some. */
  readonly leafCode: number | undefined;
}

export function nameOf({ cid, bytes }: Pick<Block, 'cid' | 'bytes'>): BlockName {
  return { key: blockKey(cid), length: bytes.length, leafCode: isLeaf(cid, bytes) ? cid.code : undefined };
}

/** Blocks that a session wrote and that are neither pinned nor claimed, with the bytes in flight of each. */
export class WrittenBlocks {
  readonly #blocks = new Map<string, Omit<BlockName, 'key'> & { bytesInFlight: number }>();
  readonly #all: NameCount;

  constructor(all: NameCount) {
    this.#all = all;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** True when the names must be listed elsewhere. */
  get isFull(): boolean {
    const { size } = this.#blocks;
    return size >= limits.namesMax || (size >= limits.namesMin && this.#all.names >= limits.namesOfAll);
  }

  has(key: string): boolean {
    return this.#blocks.has(key);
  }

  /** Adds bytes in flight to a block. */
  add({ key, length, leafCode }: BlockName, bytes: number): void {
    const before = this.#blocks.get(key);
    if (before !== undefined) before.bytesInFlight += bytes;
    else {
      this.#all.names++;
      // A literal without a spread: a copy with an added property took 280 bytes instead of 50.
      this.#blocks.set(key, { length, leafCode, bytesInFlight: bytes });
    }
  }

  /**
   * Returns the length in bytes of a block that has no links; undefined for any other. A walk need not read such a block: reads took
   * 40 % of the CPU time of an add with CID version 0, whose leaves are nodes.
   */
  leafBytes(cid: CID): number | undefined {
    const name = this.#blocks.get(blockKey(cid));
    return cid.code === codecs.raw || cid.code === name?.leafCode ? name?.length : undefined;
  }

  /** Removes a block and returns its bytes. */
  take(key: string): number {
    const bytes = this.#blocks.get(key)?.bytesInFlight ?? 0;
    if (this.#blocks.delete(key)) this.#all.names--;
    return bytes;
  }

  keys(): string[] {
    return [...this.#blocks.keys()];
  }

  clear(): void {
    this.#all.names -= this.#blocks.size;
    this.#blocks.clear();
  }
}
