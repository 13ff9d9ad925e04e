export type { AttachStep, BillingProvider, Invoice, PlanStep } from './billing-provider.ts';
export type { BillingCustomer, BillingStore, BillingSubscription } from './billing-store.ts';
export { type Charge, chargesOf, type PlanChange } from './charges.ts';
export { BillingError, type BillingErrorCode } from './errors.ts';
export { openLmdbBillingStore } from './lmdb-billing-store.ts';
export { localBilling } from './local-billing.ts';
export { createStatement, monthSpan, type Statement, type StatementLine, statementCsv } from './statement.ts';
export { StripeBilling, type StripeBillingOptions } from './stripe-billing.ts';
