import type { Account, Auth } from '@cairn/auth';
import type { Plan } from '@cairn/metering';
import type Stripe from 'stripe';
import type { PlanStep } from './billing-provider.ts';
import type { BillingCustomer, BillingStore, BillingSubscription } from './billing-store.ts';

export interface StripeSubscriptionsOptions {
  readonly stripe: Stripe;
  /** Its changes are logged as those of Stripe. */
  readonly auth: Auth;
  readonly store: BillingStore;
  readonly plans: () => Promise<readonly Plan[]>;
  /** Name of the plan that follows a subscription. */
  readonly planAfter: string;
}

/** States in which a subscription gives its plan. Stripe tries a failed payment again while it is past due. */
const givesPlan: readonly Stripe.Subscription.Status[] = ['active', 'trialing', 'past_due'];

/** Subscriptions to paid plans: the price of a subscription decides the plan of its account. */
export class StripeSubscriptions {
  readonly #options: StripeSubscriptionsOptions;

  constructor(options: StripeSubscriptionsOptions) {
    this.#options = options;
  }

  /** Starts a change of the plan. @throws the error of Stripe */
  async change({
    account,
    plan,
    returnUrl,
    customerId,
  }: {
    readonly account: Account;
    readonly plan: Plan;
    readonly returnUrl: string;
    readonly customerId: string;
  }): Promise<PlanStep> {
    const { stripe, store } = this.#options;
    const known = await store.customer(account.id);
    const subscription = known?.subscription;
    if ((plan.pricePerMonth ?? 0) === 0) return await this.#endWith(plan, account, subscription);
    const { stripePrice: price } = plan;
    if (price === undefined)
      return { kind: 'ask', text: `Ask the operator of this service for the plan ${plan.title}.` };
    if (known !== undefined && subscription !== undefined) {
      const changed = await stripe.subscriptions.update(subscription.id, {
        cancel_at_period_end: false,
        items: [{ id: subscription.itemId, price }],
        proration_behavior: 'create_prorations',
        // A card that is refused keeps the present plan.
        payment_behavior: 'error_if_incomplete',
      });
      await this.#settle(known, changed, known.subscriptionChangedAt ?? 0);
      return { kind: 'changed' };
    }
    const { url } = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customerId,
      line_items: [{ price, quantity: 1 }],
      subscription_data: { metadata: { accountId: account.id } },
      success_url: returnUrl,
      cancel_url: returnUrl,
    });
    if (url === null) throw new Error('Stripe returned no address of the page');
    return { kind: 'redirect', url };
  }

  /** Ends a subscription when its paid time ends, so that nothing paid is lost. */
  async #endWith(plan: Plan, { id }: Account, subscription: BillingSubscription | undefined): Promise<PlanStep> {
    const { stripe, store } = this.#options;
    if (subscription === undefined) return { kind: 'free' };
    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    await store.update(id, (before) => {
      const present = before?.subscription ?? subscription;
      return { ...(before as BillingCustomer), subscription: { ...present, next: plan.name } };
    });
    return { kind: 'scheduled', at: subscription.paidUntil };
  }

  /** Applies an event about a subscription. Events of other types, customers or an earlier time have no effect. */
  async apply(event: Stripe.Event): Promise<void> {
    if (
      event.type !== 'customer.subscription.created' &&
      event.type !== 'customer.subscription.updated' &&
      event.type !== 'customer.subscription.deleted'
    )
      return;
    const { object } = event.data;
    const customerId = typeof object.customer === 'string' ? object.customer : object.customer.id;
    const customer = await this.#options.store.byCustomerId(customerId);
    if (customer === undefined || (customer.subscriptionChangedAt ?? 0) > event.created) return;
    // The end of an earlier subscription does not end the present one.
    const isOther = customer.subscription !== undefined && customer.subscription.id !== object.id;
    if (isOther && event.type !== 'customer.subscription.created') return;
    await this.#settle(customer, object, event.created);
  }

  /** Sets the plan of the account by the state of its subscription. */
  async #settle(customer: BillingCustomer, object: Stripe.Subscription, changedAt: number): Promise<void> {
    const { auth, store, plans, planAfter } = this.#options;
    const { accountId, subscription: before } = customer;
    const [item] = object.items.data;
    const isOn = givesPlan.includes(object.status) && item !== undefined;
    const plan = isOn ? (await plans()).find(({ stripePrice }) => stripePrice === item.price.id) : undefined;
    // A price of no plan is that of another product.
    if (isOn && plan === undefined) return;
    await auth.setPlan(accountId, plan?.name ?? before?.next ?? planAfter);
    const next = object.cancel_at_period_end ? before?.next : undefined;
    await store.update(accountId, (stored) => {
      const { subscription: _, ...rest } = stored ?? customer;
      const subscription = isOn && {
        id: object.id,
        itemId: item.id,
        paidUntil: item.current_period_end * 1000,
        ...(next !== undefined && { next }),
      };
      return { ...rest, ...(subscription && { subscription }), subscriptionChangedAt: changedAt };
    });
  }
}
