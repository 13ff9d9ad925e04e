export { describePinStore } from './describe-pin-store.ts';
