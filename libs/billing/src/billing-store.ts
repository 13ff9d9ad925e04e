/** Retention of processed events in milliseconds. Stripe repeats a delivery for three days at most. */
export const eventsKeptMs = 30 * 24 * 3_600_000;

/** Account as a customer of the payment provider. */
export interface BillingCustomer {
  readonly accountId: string;
  /** Id of the customer at the provider. */
  readonly customerId: string;
  /** Id of the attached card at the provider. Absent without a card. */
  readonly paymentMethodId?: string;
  /** Time of the last applied event, according to the provider, in seconds since 1970. */
  readonly changedAt: number;
  /** Subscription to a paid plan. Absent without one. */
  readonly subscription?: BillingSubscription;
  /** Time of the last applied event of a subscription, in seconds since 1970. */
  readonly subscriptionChangedAt?: number;
}

/** Subscription of a customer to a paid plan at the provider. */
export interface BillingSubscription {
  readonly id: string;
  /** Id of its only item, which has the price. */
  readonly itemId: string;
  /** End of the paid time, in milliseconds since 1970. */
  readonly paidUntil: number;
  /** Plan that follows when the subscription ends. Default: the plan of new accounts. */
  readonly next?: string;
}

/**
 * Port of the billing records. A change is durable when its promise resolves, and the next read of every process sees it. A
 * `change` function may be called again after a conflict of transactions, so it has no side effects.
 */
export interface BillingStore {
  customer(accountId: string): Promise<BillingCustomer | undefined>;
  byCustomerId(customerId: string): Promise<BillingCustomer | undefined>;
  /** Replaces the customer of an account by the result of `change`, in one transaction. @throws what `change` throws */
  update(accountId: string, change: (before: BillingCustomer | undefined) => BillingCustomer): Promise<BillingCustomer>;
  /** Reports whether a webhook event was processed. */
  isProcessed(eventId: string): Promise<boolean>;
  /** Records a webhook event as processed for at least 30 days. @param at milliseconds since 1970 */
  markProcessed(eventId: string, at: number): Promise<void>;
  close(): Promise<void>;
}
