export { describeRootStore } from './describe-root-store.ts';
