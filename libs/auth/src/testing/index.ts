export { describeAccountStore } from './describe-account-store.ts';
export { describeMemberStore } from './describe-member-store.ts';
