import type { CallExecutor } from '../execution/call-executor.ts';
import { debugExecutionWitness } from './execution-witness.ts';
import { debugGetModifiedAccountsByHash, debugGetModifiedAccountsByNumber } from './modified-accounts.ts';
import { debugGetRawBlock, debugGetRawHeader, debugGetRawReceipts, debugGetRawTransaction } from './raw.ts';
import { debugStorageRangeAt } from './storage-range-at.ts';
import {
  debugTraceBlock,
  debugTraceBlockByHash,
  debugTraceBlockByNumber,
  debugTraceCall,
  debugTraceTransaction,
} from './traces.ts';

export const debugMethods = (executor: CallExecutor) => [
  debugExecutionWitness(executor),
  debugGetModifiedAccountsByHash(executor),
  debugGetModifiedAccountsByNumber(executor),
  debugGetRawBlock,
  debugGetRawHeader,
  debugGetRawReceipts,
  debugGetRawTransaction,
  debugStorageRangeAt(executor),
  debugTraceBlock(executor),
  debugTraceBlockByHash(executor),
  debugTraceBlockByNumber(executor),
  debugTraceCall(executor),
  debugTraceTransaction(executor),
];
