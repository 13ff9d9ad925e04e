import { debugGetRawBlock, debugGetRawHeader, debugGetRawReceipts, debugGetRawTransaction } from './raw.ts';
import { debugTraceBlockByHash, debugTraceBlockByNumber, debugTraceCall, debugTraceTransaction } from './traces.ts';

export const debugMethods = [
  debugGetRawBlock,
  debugGetRawHeader,
  debugGetRawReceipts,
  debugGetRawTransaction,
  debugTraceBlockByHash,
  debugTraceBlockByNumber,
  debugTraceCall,
  debugTraceTransaction,
];
