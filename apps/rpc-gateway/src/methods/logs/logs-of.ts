import { type Header, quantity } from '@cairn/block-model';
import type { BlockReader } from '../../chains/chain.ts';
import { type LogFilter, matches } from './log-filter.ts';

/** The part of a chain that logs are read from. */
export type LogReader = Pick<BlockReader, 'receipts' | 'block'>;

const noLogs = /^0x0*$/;

/** Reports whether a block has any log. */
export function hasLogs({ logsBloom }: Pick<Header, 'logsBloom'>): boolean {
  return !noLogs.test(logsBloom);
}

/** Reads the logs of a block that match a filter, with their positions. */
export function* logsOf(filter: LogFilter, reader: LogReader, header: Header) {
  const { hash, number, timestamp } = header;
  if (!hasLogs(header)) return;
  let logIndex = 0;
  for (const [index, { logs }] of (reader.receipts(hash) ?? []).entries()) {
    for (const log of logs) {
      const at = logIndex++;
      if (!matches(filter, log)) continue;
      yield {
        ...log,
        blockHash: hash,
        blockNumber: quantity(number),
        blockTimestamp: quantity(timestamp),
        transactionHash: reader.block(hash)?.transactions[index]?.hash,
        transactionIndex: quantity(index),
        logIndex: quantity(at),
        removed: false,
      };
    }
  }
}
