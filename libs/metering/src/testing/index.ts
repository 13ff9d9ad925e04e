export { describeLimitStore } from './describe-limit-store.ts';
export { delta, describeUsageStore } from './describe-usage-store.ts';
