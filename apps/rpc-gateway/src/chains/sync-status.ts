import { quantity } from '@cairn/block-model';
import type { Chain } from './chain.ts';
import type { SourceHead } from './chain-registry.ts';

/** A network counts as syncing when it is behind its source by more blocks than this. */
const lagMax = 2n;

/** The heights of a network that is behind its source, as eth_syncing returns them; `false` for any other. */
export function syncStatus({ store }: Pick<Chain, 'store'>, source: SourceHead | undefined) {
  const { number } = store.head;
  if (source === undefined || source.number - number <= lagMax) return false;
  return {
    startingBlock: quantity(source.startingNumber),
    currentBlock: quantity(number),
    highestBlock: quantity(source.number),
  };
}

/** Heights of a network that is behind its source. */
export type SyncStatus = ReturnType<typeof syncStatus>;
