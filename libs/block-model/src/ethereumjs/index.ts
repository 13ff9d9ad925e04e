export { kzg, prepareKzg } from '#kzg';
export {
  type ChainPlace,
  type CommonOptions,
  commonFromChainSpec,
  hardforkAt,
  isPostMerge,
  terminalTotalDifficulty,
} from './common.ts';
export { JournaledState, type StateChanges, type StorageChanges } from './journaled-state.ts';
