export { type CommonOptions, commonFromChainSpec, hardforkAt, isPostMerge } from './common.ts';
export { createBlockRunner } from './create-block-runner.ts';
export { createEthereumjsEngine } from './ethereumjs-engine.ts';
export { JournaledState, type StateChanges, type StorageChanges } from './journaled-state.ts';
