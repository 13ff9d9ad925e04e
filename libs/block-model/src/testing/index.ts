export { vectorSidecar } from './blob-vectors.ts';
export { conformanceDirectory, hasConformanceCases, type RecordedExchange, recordedExchanges } from './conformance.ts';
export { createMemoryState, type MemoryAccount } from './memory-state.ts';
