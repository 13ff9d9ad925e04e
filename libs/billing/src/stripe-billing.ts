import type { Account, Auth } from '@cairn/auth';
import Stripe from 'stripe';
import type { AttachStep, BillingProvider } from './billing-provider.ts';
import type { BillingStore } from './billing-store.ts';
import { BillingError } from './errors.ts';

export interface StripeBillingOptions {
  readonly auth: Auth;
  readonly store: BillingStore;
  /** `sk_…` */
  readonly secretKey: string;
  /** `whsec_…` of the endpoint that messages come to. */
  readonly webhookSecret: string;
  /** Where Stripe's API is. Default: theirs. */
  readonly apiUrl?: string | undefined;
}

/** Cards by Stripe: people enter them on Stripe's page, and Stripe tells here what came of it. */
export class StripeBilling implements BillingProvider {
  readonly name = 'stripe';
  readonly #stripe: Stripe;
  readonly #auth: Auth;
  readonly #store: BillingStore;
  readonly #webhookSecret: string;

  constructor({ auth, store, secretKey, webhookSecret, apiUrl }: StripeBillingOptions) {
    this.#auth = auth.as({ who: 'stripe', from: 'webhook' });
    this.#store = store;
    this.#webhookSecret = webhookSecret;
    this.#stripe = new Stripe(secretKey, { maxNetworkRetries: 2, timeout: 10_000, telemetry: false, ...at(apiUrl) });
  }

  /** A page of Stripe in setup mode: it makes a SetupIntent and charges nothing. */
  async attach(account: Account, { returnUrl }: { readonly returnUrl: string }): Promise<AttachStep> {
    try {
      const customer = await this.#customerOf(account);
      const { url } = await this.#stripe.checkout.sessions.create({
        mode: 'setup',
        customer,
        // Asked for in this mode; nothing is charged in it.
        currency: 'usd',
        success_url: returnUrl,
        cancel_url: returnUrl,
      });
      if (url === null) throw new Error('Stripe gave no address');
      return { kind: 'redirect', url };
    } catch (cause) {
      throw new BillingError('BILLING_UNAVAILABLE', 'Stripe could not be reached, or refused.', {
        hint: 'Try again in a minute; the operator finds the reason in the log.',
        cause,
      });
    }
  }

  async #customerOf({ id, name, email }: Account): Promise<string> {
    const known = await this.#store.customer(id);
    if (known) return known.customerId;
    const { id: customerId } = await this.#stripe.customers.create(
      { name, metadata: { accountId: id }, ...(email !== undefined && { email }) },
      // Two presses of a button make one customer.
      { idempotencyKey: `cairn-customer-${id}` },
    );
    const made = await this.#store.update(id, (before) => before ?? { accountId: id, customerId, changedAt: 0 });
    return made.customerId;
  }

  async webhook(payload: Uint8Array, signature: string | undefined): Promise<void> {
    const event = this.#verified(payload, signature);
    if (await this.#store.hasSeen(event.id)) return;
    if (event.type === 'setup_intent.succeeded') await this.#attached(event);
    if (event.type === 'payment_method.detached') await this.#detached(event);
    // After the change: a process that is killed in between is told again, and changes the same again.
    await this.#store.markSeen(event.id, Date.now());
  }

  #verified(payload: Uint8Array, signature: string | undefined): Stripe.Event {
    try {
      return this.#stripe.webhooks.constructEvent(Buffer.from(payload), signature ?? '', this.#webhookSecret);
    } catch {
      throw new BillingError('WEBHOOK_INVALID', 'The message is not signed by Stripe, or is too old.', {
        hint: 'Check the signing secret of the endpoint.',
      });
    }
  }

  async #attached({ created, data: { object: intent } }: Stripe.SetupIntentSucceededEvent): Promise<void> {
    const [customerId, paymentMethodId] = [idOf(intent.customer), idOf(intent.payment_method)];
    if (customerId === undefined || paymentMethodId === undefined) return;
    const customer = await this.#store.byCustomerId(customerId);
    // Of another installation that shares the account at Stripe, or overtaken by a later message.
    if (customer === undefined || customer.changedAt > created) return;
    const { card } = await this.#stripe.paymentMethods.retrieve(paymentMethodId);
    if (!card) return;
    await this.#auth.attachCard(customer.accountId, { brand: card.brand.toLowerCase(), last4: card.last4 });
    await this.#store.update(customer.accountId, () => ({ ...customer, paymentMethodId, changedAt: created }));
  }

  async #detached({ created, data: { object, previous_attributes: before } }: Stripe.PaymentMethodDetachedEvent) {
    const customerId = idOf(before?.customer ?? object.customer);
    const customer = customerId === undefined ? undefined : await this.#store.byCustomerId(customerId);
    if (customer === undefined || customer.changedAt > created || customer.paymentMethodId !== object.id) return;
    await this.#auth.removeCard(customer.accountId);
    const { paymentMethodId: _, ...rest } = customer;
    await this.#store.update(customer.accountId, () => ({ ...rest, changedAt: created }));
  }
}

function idOf(value: string | { readonly id: string } | null | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.id;
}

function at(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return {
    host: hostname,
    protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
    ...(port && { port }),
  };
}
