import type { CallExecutor } from '../execution/call-executor.ts';
import { traceRawTransaction } from './raw-transaction.ts';
import { traceFilter } from './trace-filter.ts';
import { traceBlock, traceReplayBlockTransactions } from './traced-block.ts';
import { traceCall, traceCallMany } from './traced-calls.ts';
import { traceGet, traceReplayTransaction, traceTransaction } from './traced-transaction.ts';

export const traceMethods = (executor: CallExecutor) => [
  traceBlock(executor),
  traceTransaction(executor),
  traceGet(executor),
  traceFilter(executor),
  traceReplayBlockTransactions(executor),
  traceReplayTransaction(executor),
  traceCall(executor),
  traceCallMany(executor),
  traceRawTransaction(executor),
];
