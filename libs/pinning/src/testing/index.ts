export { type CollectorModelStores, describeCollectorModel } from './describe-collector-model.ts';
export { describePinHistories } from './describe-pin-histories.ts';
export { describePinRequestStore, type PinRequestStoreHarness } from './describe-pin-request-store.ts';
export { describePinStore } from './describe-pin-store.ts';
export {
  cidOfRoot,
  type HistoryStore,
  isLinearizable,
  type PinCall,
  type RecordedCall,
  recordHistory,
} from './pin-history.ts';
