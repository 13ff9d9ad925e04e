export { describeAccountStore } from './describe-account-store.ts';
