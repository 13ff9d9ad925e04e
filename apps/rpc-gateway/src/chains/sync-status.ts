import { quantity } from '@cairn/block-model';

/** A network counts as syncing if its source is ahead by more blocks than this. */
const lagMax = 2n;

/** Head of the source that a network follows. */
export interface SourceHead {
  readonly number: bigint;
  /** Height of the network when it started to follow. */
  readonly startingNumber: bigint;
}

/** The result of eth_syncing: heights of a network that has not reached the head of its source, else `false`. */
export function syncStatus(number: bigint, source: SourceHead | undefined) {
  if (source === undefined || source.number - number <= lagMax) return false;
  return {
    startingBlock: quantity(source.startingNumber),
    currentBlock: quantity(number),
    highestBlock: quantity(source.number),
  };
}

/** Heights of a network that has not reached the head of its source. */
export type SyncStatus = ReturnType<typeof syncStatus>;
