export { describeLimitStore } from './describe-limit-store.ts';
export { describePlanStore } from './describe-plan-store.ts';
export { delta, describeUsageStore } from './describe-usage-store.ts';
