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

export const debugMethods = [
  debugExecutionWitness,
  debugGetModifiedAccountsByHash,
  debugGetModifiedAccountsByNumber,
  debugGetRawBlock,
  debugGetRawHeader,
  debugGetRawReceipts,
  debugGetRawTransaction,
  debugStorageRangeAt,
  debugTraceBlock,
  debugTraceBlockByHash,
  debugTraceBlockByNumber,
  debugTraceCall,
  debugTraceTransaction,
];
