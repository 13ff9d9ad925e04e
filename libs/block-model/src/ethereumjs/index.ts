export { type CommonOptions, commonFromChainSpec } from './common.ts';
export { JournaledState, type StateChanges, type StorageChanges } from './journaled-state.ts';
export { kzg } from './kzg.ts';
