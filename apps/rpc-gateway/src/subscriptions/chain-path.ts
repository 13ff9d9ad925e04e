import type { Header, Hex } from '@cairn/block-model';
import type { BlockReader } from '../chains/chain.ts';

/** The last block whose events a stream has delivered. */
export interface ChainPosition {
  readonly number: bigint;
  readonly hash: Hex;
}

/** Part of the way from a position to the head. */
export interface PathStep {
  /** Blocks that the chain no longer contains, newest first. */
  readonly left: readonly Header[];
  /** Blocks that follow in the chain, oldest first. */
  readonly joined: readonly Header[];
}

export type PathReader = Pick<BlockReader, 'head' | 'header' | 'hashByNumber'>;

/** Most blocks of one step: it is read without a pause. */
const stepBlocksMax = 64;

/**
 * Reads the next blocks on the way from a position to the head: back to the canonical chain, then forward. The step is empty at the
 * head. It is `undefined` if the block of the position, or an ancestor on its branch, is unknown.
 */
export function stepFrom(reader: PathReader, from: Hex, blocksMax: number = stepBlocksMax): PathStep | undefined {
  const { number: head } = reader.head;
  const left: Header[] = [];
  let at = reader.header(from);
  while (at !== undefined && (at.number > head || reader.hashByNumber(at.number) !== at.hash)) {
    left.push(at);
    if (left.length === blocksMax) return { left, joined: [] };
    at = reader.header(at.parentHash);
  }
  if (at === undefined) return undefined;
  const joined: Header[] = [];
  while (at.number < head && left.length + joined.length < blocksMax) {
    const hash = reader.hashByNumber(at.number + 1n);
    const next: Header | undefined = hash && reader.header(hash);
    // Another process may move the head between two reads. The next step then starts from the last block that links.
    if (next === undefined || next.parentHash !== at.hash) break;
    joined.push(next);
    at = next;
  }
  return { left, joined };
}

/** The position after the events of a block are delivered. */
export function positionAfter(header: Header, isRemoved: boolean): ChainPosition {
  return isRemoved
    ? { number: header.number - 1n, hash: header.parentHash }
    : { number: header.number, hash: header.hash };
}
