export { type CollectorModelStores, describeCollectorModel } from './describe-collector-model.ts';
export { describePinHistories } from './describe-pin-histories.ts';
export { describePinRequestStore, type PinRequestStoreHarness } from './describe-pin-request-store.ts';
export { describePinStore } from './describe-pin-store.ts';
