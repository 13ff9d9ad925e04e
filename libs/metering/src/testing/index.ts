export { describeLimitStore } from './describe-limit-store.ts';
export { describePlanStore } from './describe-plan-store.ts';
export { describeRequestLogStore } from './describe-request-log-store.ts';
export { delta, describeUsageStore } from './describe-usage-store.ts';
