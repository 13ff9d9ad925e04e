export type { AttachStep, BillingProvider } from './billing-provider.ts';
export type { BillingCustomer, BillingStore } from './billing-store.ts';
export { BillingError, type BillingErrorCode } from './errors.ts';
export { openLmdbBillingStore } from './lmdb-billing-store.ts';
export { localBilling } from './local-billing.ts';
export { createStatement, monthSpan, type Statement, type StatementLine, statementCsv } from './statement.ts';
export { StripeBilling, type StripeBillingOptions } from './stripe-billing.ts';
