import type { Account } from '@cairn/auth';

/** Next step of a customer to attach a card. */
export type AttachStep =
  /** Step: open a page of the provider, which redirects back. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** Step: ask the operator. `text` is shown to the customer. */
  | { readonly kind: 'ask'; readonly text: string };

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
   * Processes a webhook event of the provider. Repeated deliveries of an event have no further effect.
   * @param payload body of the request, byte for byte, since the signature covers it
   * @throws WEBHOOK_INVALID, WEBHOOK_NOT_EXPECTED. After any other error the provider should deliver the event again
   */
  webhook(payload: Uint8Array, signature: string | undefined): Promise<void>;
}
