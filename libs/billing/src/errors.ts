import { CairnError } from '@cairn/errors';

export type BillingErrorCode = 'WEBHOOK_INVALID' | 'WEBHOOK_NOT_EXPECTED' | 'BILLING_UNAVAILABLE' | 'MONTH_INVALID';

/** Error of billing. Card numbers never reach this service. */
export class BillingError<Code extends BillingErrorCode = BillingErrorCode> extends CairnError<Code> {}
