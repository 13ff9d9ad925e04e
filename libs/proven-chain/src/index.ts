export { AncestorIndex } from './ancestor-index.ts';
export { ProvenChainError, type ProvenChainErrorCode } from './errors.ts';
export { provenChainLimits } from './limits.ts';
export type { LogQuery } from './log-match.ts';
export { ProvenBlocks, type ProvenBlocksOptions, type ReadOptions } from './proven-blocks.ts';
export { type ProvenLog, provenLogs } from './proven-logs.ts';
export { receiptFromJson } from './receipt-from-json.ts';
