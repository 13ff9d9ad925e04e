export { describeRootStore } from './root-store-contract.ts';
