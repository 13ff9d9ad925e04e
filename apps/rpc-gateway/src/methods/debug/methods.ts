import { debugGetRawBlock, debugGetRawHeader, debugGetRawReceipts, debugGetRawTransaction } from './raw.ts';

export const debugMethods = [debugGetRawBlock, debugGetRawHeader, debugGetRawReceipts, debugGetRawTransaction];
