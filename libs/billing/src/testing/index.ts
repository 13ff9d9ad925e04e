export { describeBillingStore } from './describe-billing-store.ts';
