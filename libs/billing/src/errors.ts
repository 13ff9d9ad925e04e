import { CairnError } from '@cairn/errors';

export type BillingErrorCode = 'WEBHOOK_INVALID' | 'WEBHOOK_NOT_EXPECTED' | 'BILLING_UNAVAILABLE' | 'MONTH_INVALID';

/** Something about billing. Card numbers never come near this service. */
export class BillingError<Code extends BillingErrorCode = BillingErrorCode> extends CairnError<Code> {}
