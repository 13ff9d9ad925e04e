/** What is kept of an account at the provider. */
export interface BillingCustomer {
  readonly accountId: string;
  /** The provider's name for it. */
  readonly customerId: string;
  /** The provider's name for the card that is attached. */
  readonly paymentMethodId?: string;
  /** When the provider made the last change that was taken, in seconds since 1970. */
  readonly changedAt: number;
}

/** The port to what billing has to remember. Changes are durable when they resolve. */
export interface BillingStore {
  customer(accountId: string): Promise<BillingCustomer | undefined>;
  byCustomerId(customerId: string): Promise<BillingCustomer | undefined>;
  /** Keeps what `change` makes of what is there; of two at once the second sees what the first made. */
  update(accountId: string, change: (before: BillingCustomer | undefined) => BillingCustomer): Promise<BillingCustomer>;
  /** Whether a message was taken before. */
  hasSeen(eventId: string): Promise<boolean>;
  markSeen(eventId: string, at: number): Promise<void>;
  close(): Promise<void>;
}
