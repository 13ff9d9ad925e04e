export { describeNameStore } from './describe-name-store.ts';
