import type { Hex } from '@cairn/block-model';
import type { LogReader } from '../methods/logs/logs-of.ts';

/** Decoded blocks in the cache: every subscription reads the blocks of a head change. */
const blocksMax = 4;

/** Caches the last decoded blocks and receipts of a chain. Data of a hash never changes. */
export function withRecentBlocks(reader: LogReader): LogReader {
  return { block: cached((hash) => reader.block(hash)), receipts: cached((hash) => reader.receipts(hash)) };
}

function cached<T>(read: (hash: Hex) => T): (hash: Hex) => T {
  const entries = new Map<Hex, T>();
  return (hash) => {
    const known = entries.get(hash);
    if (known !== undefined) return known;
    const found = read(hash);
    if (found === undefined) return found;
    const [oldest] = entries.keys();
    if (entries.size >= blocksMax && oldest !== undefined) entries.delete(oldest);
    entries.set(hash, found);
    return found;
  };
}
