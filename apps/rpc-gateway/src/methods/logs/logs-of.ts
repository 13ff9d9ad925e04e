import { type Header, quantity } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';
import { type LogFilter, matches } from './log-filter.ts';

/** The part of a chain that logs are read from. */
export type LogStore = Pick<ChainStore, 'receipts' | 'block'>;

const noLogs = /^0x0*$/;

/** The logs of a block that are wanted, with their places. */
export function* logsOf(filter: LogFilter, store: LogStore, header: Header) {
  const { hash, number, timestamp, logsBloom } = header;
  if (noLogs.test(logsBloom)) return;
  let logIndex = 0;
  for (const [index, { logs }] of (store.receipts(hash) ?? []).entries()) {
    for (const log of logs) {
      const at = logIndex++;
      if (!matches(filter, log)) continue;
      yield {
        ...log,
        blockHash: hash,
        blockNumber: quantity(number),
        blockTimestamp: quantity(timestamp),
        transactionHash: store.block(hash)?.transactions[index]?.hash,
        transactionIndex: quantity(index),
        logIndex: quantity(at),
        removed: false,
      };
    }
  }
}
