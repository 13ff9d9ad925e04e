export { openPostgresBillingStore } from './postgres-billing-store.ts';
