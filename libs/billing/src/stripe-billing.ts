import type { Account, Auth } from '@cairn/auth';
import type { Plan } from '@cairn/metering';
import Stripe from 'stripe';
import type { AttachStep, BillingProvider, Invoice, PlanStep } from './billing-provider.ts';
import type { BillingStore } from './billing-store.ts';
import { BillingError } from './errors.ts';
import { StripeSubscriptions } from './stripe-subscriptions.ts';

export interface StripeBillingOptions {
  readonly auth: Auth;
  readonly store: BillingStore;
  /** `sk_…` */
  readonly secretKey: string;
  /** Signing secret `whsec_…` of the webhook endpoint. */
  readonly webhookSecret: string;
  /** Address of the API. Default: Stripe's. */
  readonly apiUrl?: string | undefined;
  /** Returns the plans, whose `stripePrice` names what is subscribed. */
  readonly plans: () => Promise<readonly Plan[]>;
  /** Name of the plan that follows a subscription. Default: `free`. */
  readonly planAfter?: string;
}

/** Newest invoices that are listed. */
const invoicesMax = 24;

/** Cards through Stripe: customers enter them on Stripe's page, and Stripe reports the result as a webhook event. */
export class StripeBilling implements BillingProvider {
  readonly name = 'stripe';
  readonly #stripe: Stripe;
  readonly #auth: Auth;
  readonly #store: BillingStore;
  readonly #webhookSecret: string;
  readonly #subscriptions: StripeSubscriptions;

  constructor({ auth, store, secretKey, webhookSecret, apiUrl, plans, planAfter = 'free' }: StripeBillingOptions) {
    this.#auth = auth.as({ who: 'stripe', from: 'webhook' });
    this.#store = store;
    this.#webhookSecret = webhookSecret;
    this.#stripe = new Stripe(secretKey, {
      maxNetworkRetries: 2,
      timeout: 10_000,
      telemetry: false,
      ...addressOf(apiUrl),
    });
    this.#subscriptions = new StripeSubscriptions({ stripe: this.#stripe, auth: this.#auth, store, plans, planAfter });
  }

  /** Opens a page of Stripe in setup mode, which creates a SetupIntent and charges nothing. */
  async attach(account: Account, { returnUrl }: { readonly returnUrl: string }): Promise<AttachStep> {
    return await this.#asked(async () => {
      const customer = await this.#customerOf(account);
      const { url } = await this.#stripe.checkout.sessions.create({
        mode: 'setup',
        customer,
        // Required by the API. Setup mode charges nothing.
        currency: 'usd',
        success_url: returnUrl,
        cancel_url: returnUrl,
      });
      if (url === null) throw new Error('Stripe returned no address of the page');
      return { kind: 'redirect', url };
    });
  }

  /** Subscribes on a page of Stripe, changes the subscription, or ends it when the paid time ends. */
  async changePlan(account: Account, plan: Plan, { returnUrl }: { readonly returnUrl: string }): Promise<PlanStep> {
    return await this.#asked(async () =>
      this.#subscriptions.change({ account, plan, returnUrl, customerId: await this.#customerOf(account) }),
    );
  }

  async invoices({ id }: Account): Promise<readonly Invoice[]> {
    const known = await this.#store.customer(id);
    if (known === undefined) return [];
    return await this.#asked(async () => {
      const { data } = await this.#stripe.invoices.list({ customer: known.customerId, limit: invoicesMax });
      return data.map(({ id: invoiceId, number, created, total, currency, status, hosted_invoice_url: url }) => ({
        id: invoiceId ?? '',
        number: number ?? undefined,
        createdAt: created * 1000,
        amount: total,
        currency: currency.toUpperCase(),
        status: status ?? 'draft',
        url: url ?? undefined,
      }));
    });
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      throw new BillingError('BILLING_UNAVAILABLE', 'Stripe could not be reached, or refused the request.', {
        hint: 'Try again in a minute. The log of the service has the reason.',
        cause,
      });
    }
  }

  async #customerOf({ id, name, email }: Account): Promise<string> {
    const known = await this.#store.customer(id);
    if (known) return known.customerId;
    const { id: customerId } = await this.#stripe.customers.create(
      { name, metadata: { accountId: id }, ...(email !== undefined && { email }) },
      // Concurrent calls for an account create one customer.
      { idempotencyKey: `cairn-customer-${id}` },
    );
    const stored = await this.#store.update(id, (before) => before ?? { accountId: id, customerId, changedAt: 0 });
    return stored.customerId;
  }

  async webhook(payload: Uint8Array, signature: string | undefined): Promise<void> {
    const event = this.#verified(payload, signature);
    if (await this.#store.isProcessed(event.id)) return;
    if (event.type === 'setup_intent.succeeded') await this.#attached(event);
    if (event.type === 'payment_method.detached') await this.#detached(event);
    await this.#subscriptions.apply(event);
    // Recorded after the change: if the process is killed in between, the event is delivered again and has the same effect.
    await this.#store.markProcessed(event.id, Date.now());
  }

  #verified(payload: Uint8Array, signature: string | undefined): Stripe.Event {
    try {
      return this.#stripe.webhooks.constructEvent(Buffer.from(payload), signature ?? '', this.#webhookSecret);
    } catch {
      throw new BillingError('WEBHOOK_INVALID', 'The webhook event is not signed by Stripe, or is too old.', {
        hint: 'Set CAIRN_STRIPE_WEBHOOK_SECRET to the signing secret of the endpoint.',
      });
    }
  }

  async #attached({ created, data: { object: intent } }: Stripe.SetupIntentSucceededEvent): Promise<void> {
    const [customerId, paymentMethodId] = [idOf(intent.customer), idOf(intent.payment_method)];
    if (customerId === undefined || paymentMethodId === undefined) return;
    const customer = await this.#store.byCustomerId(customerId);
    // Ignores events of another installation that shares the Stripe account, and events older than the last applied one.
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

function addressOf(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return {
    host: hostname,
    protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
    ...(port && { port }),
  };
}
