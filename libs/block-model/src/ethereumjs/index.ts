export { kzg, prepareKzg } from '#kzg';
export { terminalTotalDifficulty } from '../chain-spec.ts';
export {
  type ChainPlace,
  type CommonOptions,
  commonFromChainSpec,
  hardforkAt,
  isPostMerge,
} from './common.ts';
export { JournaledState, type StateChanges, type StorageChanges } from './journaled-state.ts';
