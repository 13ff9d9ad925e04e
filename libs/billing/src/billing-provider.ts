import type { Account } from '@cairn/auth';
import type { Plan } from '@cairn/metering';

/** Next step of a customer to attach a card. */
export type AttachStep =
  /** Step: open a page of the provider, which redirects back. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** Step: ask the operator. `text` is shown to the customer. */
  | { readonly kind: 'ask'; readonly text: string };

/** Next step of a customer to change the plan. */
export type PlanStep =
  | AttachStep
  /** The provider has changed the plan. */
  | { readonly kind: 'changed' }
  /** The plan costs nothing: the caller sets it. */
  | { readonly kind: 'free' }
  /** The paid plan ends at this time, in milliseconds since 1970; the other follows it. */
  | { readonly kind: 'scheduled'; readonly at: number };

/** Invoice of the provider. */
export interface Invoice {
  readonly id: string;
  /** Number printed on it. Absent for a draft. */
  readonly number?: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Total in the smallest unit of the currency. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** For example `paid` or `open`. */
  readonly status: string;
  /** Page of the provider with the invoice. */
  readonly url?: string | undefined;
}

/** Port of the payment provider. An account stores only brand and last four digits of a card. */
export interface BillingProvider {
  readonly name: 'local' | 'stripe';
  /**
   * Starts to attach a card.
   * @param options `returnUrl`: address to which the provider's page redirects
   * @throws BILLING_UNAVAILABLE
   */
  attach(account: Account, options: { readonly returnUrl: string }): Promise<AttachStep>;
  /**
   * Starts the change to a plan that is offered.
   * @param options `returnUrl`: address to which the provider's page redirects
   * @throws BILLING_UNAVAILABLE
   */
  changePlan(account: Account, plan: Plan, options: { readonly returnUrl: string }): Promise<PlanStep>;
  /** Returns the newest invoices of an account. @throws BILLING_UNAVAILABLE */
  invoices(account: Account): Promise<readonly Invoice[]>;
  /**
   * Processes a webhook event of the provider. Repeated deliveries of an event have no further effect.
   * @param payload body of the request, byte for byte, since the signature covers it
   * @throws WEBHOOK_INVALID, WEBHOOK_NOT_EXPECTED. After any other error the provider should deliver the event again
   */
  webhook(payload: Uint8Array, signature: string | undefined): Promise<void>;
}
