import type { Hex } from '@cairn/block-model';
import type { LogStore } from '../methods/logs/logs-of.ts';

/** Blocks that are kept decoded. Those of one change are read by every subscription. */
const blocksMax = 4;

/** A chain whose last blocks and receipts are decoded once. What a hash stands for never changes. */
export function withRecentBlocks(store: LogStore): LogStore {
  return { block: remembered((hash) => store.block(hash)), receipts: remembered((hash) => store.receipts(hash)) };
}

function remembered<T>(read: (hash: Hex) => T): (hash: Hex) => T {
  const known = new Map<Hex, T>();
  return (hash) => {
    const before = known.get(hash);
    if (before !== undefined) return before;
    const found = read(hash);
    if (found === undefined) return found;
    const [oldest] = known.keys();
    if (known.size >= blocksMax && oldest !== undefined) known.delete(oldest);
    known.set(hash, found);
    return found;
  };
}
