import { type Block, type Header, quantity } from '@cairn/block-model';
import type { BlockReader, PlacedLog } from '../../chains/chain.ts';
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
  if (!hasLogs(header)) return;
  let logIndex = 0;
  for (const [transactionIndex, { logs }] of (reader.receipts(header.hash) ?? []).entries()) {
    for (const log of logs) {
      const placed = { log, header, transactionIndex, logIndex: logIndex++ };
      if (matches(filter, log)) yield logJson(placed, reader.block(header.hash));
    }
  }
}

/** A log as eth_getLogs returns it. @param block the block of the log */
export function logJson({ log, header, transactionIndex, logIndex }: PlacedLog, block: Block | undefined) {
  return {
    ...log,
    blockHash: header.hash,
    blockNumber: quantity(header.number),
    blockTimestamp: quantity(header.timestamp),
    transactionHash: block?.transactions[transactionIndex]?.hash,
    transactionIndex: quantity(transactionIndex),
    logIndex: quantity(logIndex),
    removed: false,
  };
}
