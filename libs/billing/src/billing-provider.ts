import type { Account } from '@cairn/auth';

/** What an account does next to attach a card. */
export type AttachStep =
  /** Goes to a page of the provider, which sends it back. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** Asks the operator. */
  | { readonly kind: 'ask'; readonly text: string };

/** The port to whoever takes cards. Brand and last four digits is all that an account keeps of one. */
export interface BillingProvider {
  readonly name: 'local' | 'stripe';
  /** @param options `returnUrl`: where the page of the provider sends people back to. @throws BILLING_UNAVAILABLE */
  attach(account: Account, options: { readonly returnUrl: string }): Promise<AttachStep>;
  /**
   * What the provider tells by itself, as it came. A message that comes twice counts once.
   * @throws WEBHOOK_INVALID, WEBHOOK_NOT_EXPECTED; whatever else is thrown, the provider should tell again
   */
  webhook(payload: Uint8Array, signature: string | undefined): Promise<void>;
}
