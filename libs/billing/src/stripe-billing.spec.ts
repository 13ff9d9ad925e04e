import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import type { BillingStore } from './billing-store.ts';
import { openLmdbBillingStore } from './lmdb-billing-store.ts';
import { localBilling } from './local-billing.ts';
import { StripeBilling } from './stripe-billing.ts';

const webhookSecret = 'whsec_planted';
const secretKey = 'sk_test_planted';
const stripe = new Stripe(secretKey);
let directory: string;
let auth: Auth;
let store: BillingStore;
let billing: StripeBilling;
let api: Server;
let calls: { path: string; body: string; headers: Readonly<Record<string, unknown>> }[];
let status: number;
const plans = [
  { name: 'free', title: 'Free', pricePerMonth: 0, currency: 'EUR', isOffered: true },
  { name: 'team', title: 'Team', pricePerMonth: 1900, currency: 'EUR', stripePrice: 'price_team', isOffered: true },
  { name: 'big', title: 'Big', pricePerMonth: 9900, currency: 'EUR', stripePrice: 'price_big', isOffered: true },
  { name: 'asked', title: 'On request', pricePerMonth: 50_000, currency: 'EUR' },
];

/** Starts an API that answers the calls of these tests as Stripe's does. */
beforeEach(async () => {
  calls = [];
  status = 200;
  api = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.once('end', () => {
      const path = request.url ?? '';
      calls.push({ path, body, headers: request.headers });
      response.writeHead(status, { 'content-type': 'application/json' });
      if (status !== 200) response.end(JSON.stringify({ error: { type: 'card_error', message: `no ${secretKey}` } }));
      else if (path === '/v1/customers') response.end(JSON.stringify({ id: 'cus_1', object: 'customer' }));
      else if (path.startsWith('/v1/subscriptions/')) response.end(JSON.stringify(subscription('price_big')));
      else if (path.startsWith('/v1/invoices')) response.end(JSON.stringify({ object: 'list', data: [invoice] }));
      else if (path === '/v1/checkout/sessions')
        response.end(JSON.stringify({ id: 'cs_1', object: 'checkout.session', url: 'https://checkout.example/cs_1' }));
      else
        response.end(JSON.stringify({ id: 'pm_1', object: 'payment_method', card: { brand: 'Visa', last4: '4242' } }));
    });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  directory = mkdtempSync(join(tmpdir(), 'cairn-billing-'));
  auth = new Auth({ store: await openLmdbAccountStore({ directory }) });
  store = await openLmdbBillingStore({ directory });
  const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  billing = new StripeBilling({ auth, store, secretKey, webhookSecret, apiUrl, plans: async () => plans });
  await auth.createAccount({ name: 'ann', email: 'ann@example.org' });
});
afterEach(async () => {
  await store.close();
  await auth.close();
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
  rmSync(directory, { recursive: true });
});

const attach = async () => billing.attach(await auth.account('ann'), { returnUrl: 'https://console.example/billing' });
let created = 1000;

/** Creates a webhook event as Stripe sends it, signed by the test helper of its SDK. */
function event(type: string, object: object, { id = `evt_${created}`, at = created++, more = {} } = {}) {
  const payload = JSON.stringify({ id, object: 'event', type, created: at, data: { object, ...more } });
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
  return [Buffer.from(payload), signature] as const;
}
const periodEnd = 1_800_000_000;
const subscription = (price: string, more: object = {}) => ({
  ...{ id: 'sub_1', object: 'subscription', customer: 'cus_1', status: 'active', cancel_at_period_end: false },
  items: { object: 'list', data: [{ id: 'si_1', price: { id: price }, current_period_end: periodEnd }] },
  ...more,
});
const invoice = {
  ...{ id: 'in_1', object: 'invoice', number: 'A-1', created: 1_790_000_000, total: 1900, currency: 'eur' },
  ...{ status: 'paid', hosted_invoice_url: 'https://invoice.example/in_1' },
};
const intent = { id: 'seti_1', object: 'setup_intent', customer: 'cus_1', payment_method: 'pm_1' };
const detached = { id: 'pm_1', object: 'payment_method', customer: null };
const detachedBefore = { more: { previous_attributes: { customer: 'cus_1' } } };

test('attach redirects to a page of Stripe, and repeated calls create one customer', async () => {
  const step = { kind: 'redirect', url: 'https://checkout.example/cs_1' };
  expect(await attach()).toEqual(step);
  expect(await attach()).toEqual(step);
  expect(calls.map(({ path }) => path)).toEqual(['/v1/customers', '/v1/checkout/sessions', '/v1/checkout/sessions']);
  expect(calls[0]?.headers['idempotency-key']).toMatch(/^cairn-customer-acc_/);
  expect(calls[1]?.body).toContain('mode=setup');
  expect((await auth.account('ann')).card).toBeUndefined();
});

test('attach reports BILLING_UNAVAILABLE without quoting the provider', async () => {
  status = 402;
  const error = await attach().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'BILLING_UNAVAILABLE' });
  expect((error as Error).message).not.toContain(secretKey);
});

describe('webhook events', () => {
  beforeEach(async () => void (await attach()));

  test('attach and remove the card; the audit log names Stripe', async () => {
    await billing.webhook(...event('setup_intent.succeeded', intent));
    expect((await auth.account('ann')).card).toMatchObject({ brand: 'visa', last4: '4242' });
    await billing.webhook(...event('payment_method.detached', detached, detachedBefore));
    expect((await auth.account('ann')).card).toBeUndefined();
    const actions: string[] = [];
    for await (const { action, actor } of auth.auditEntries('ann')) actions.push(`${action} by ${actor.who}`);
    expect(actions.slice(0, 2)).toEqual(['card.remove by stripe', 'card.attach by stripe']);
  });

  test('have an effect once, also when they are delivered again', async () => {
    const twice = event('setup_intent.succeeded', intent);
    await billing.webhook(...twice);
    await auth.removeCard('ann');
    await billing.webhook(...twice);
    expect((await auth.account('ann')).card).toBeUndefined();
  });

  test('older than the last applied one change nothing', async () => {
    await billing.webhook(...event('setup_intent.succeeded', intent, { at: 2_000_000 }));
    await billing.webhook(...event('payment_method.detached', detached, { at: 1_999_999, ...detachedBefore }));
    expect((await auth.account('ann')).card).toMatchObject({ last4: '4242' });
  });

  test('for another card, another customer or of another type change nothing', async () => {
    await billing.webhook(...event('setup_intent.succeeded', { ...intent, customer: 'cus_other' }));
    await billing.webhook(...event('customer.created', { id: 'cus_9' }));
    expect((await auth.account('ann')).card).toBeUndefined();
    await billing.webhook(...event('setup_intent.succeeded', intent));
    await billing.webhook(...event('payment_method.detached', { ...detached, id: 'pm_other' }, detachedBefore));
    expect((await auth.account('ann')).card).toBeDefined();
  });

  test('that failed are processed when they are delivered again', async () => {
    const [payload, signature] = event('setup_intent.succeeded', intent);
    status = 400;
    await expect(billing.webhook(payload, signature)).rejects.toThrow();
    status = 200;
    await billing.webhook(payload, signature);
    expect((await auth.account('ann')).card).toBeDefined();
  });

  test.each([
    ['no signature', undefined],
    ['another signature', stripe.webhooks.generateTestHeaderString({ payload: '{}', secret: webhookSecret })],
    ['a signature of another secret', stripe.webhooks.generateTestHeaderString({ payload: '{}', secret: 'whsec_no' })],
    [
      'an old signature',
      stripe.webhooks.generateTestHeaderString({ payload: '{}', secret: webhookSecret, timestamp: 1 }),
    ],
  ])('with %s are refused', async (_, signature) => {
    const [payload] = event('setup_intent.succeeded', intent);
    await expect(billing.webhook(payload, signature)).rejects.toMatchObject({ code: 'WEBHOOK_INVALID' });
    expect((await auth.account('ann')).card).toBeUndefined();
  });
});

describe('plans', () => {
  const change = async (name: string) => {
    const plan = plans.find((one) => one.name === name);
    if (plan === undefined) throw new Error(name);
    return billing.changePlan(await auth.account('ann'), plan, { returnUrl: 'https://console.example/billing' });
  };
  const planOf = async () => (await auth.account('ann')).plan;
  const subscribed = (price = 'price_team', more: object = {}) =>
    billing.webhook(...event('customer.subscription.created', subscription(price, more)));

  test('a paid plan is subscribed on a page of Stripe, and its event sets the plan', async () => {
    expect(await change('team')).toEqual({ kind: 'redirect', url: 'https://checkout.example/cs_1' });
    const asked = new URLSearchParams(calls.at(-1)?.body);
    expect([asked.get('mode'), asked.get('line_items[0][price]')]).toEqual(['subscription', 'price_team']);
    expect(await planOf()).toBe('free');
    await subscribed();
    expect(await planOf()).toBe('team');
    for await (const { action, actor } of auth.auditEntries('ann')) {
      expect([action, actor.who]).toEqual(['account.plan', 'stripe']);
      break;
    }
  });

  test('a subscription changes to another paid plan immediately', async () => {
    await change('team');
    await subscribed();
    expect(await change('big')).toEqual({ kind: 'changed' });
    const asked = new URLSearchParams(calls.at(-1)?.body);
    expect([asked.get('items[0][id]'), asked.get('items[0][price]')]).toEqual(['si_1', 'price_big']);
    expect(await planOf()).toBe('big');
  });

  test('a change to a plan without a price ends the subscription when the paid time ends', async () => {
    await change('team');
    await subscribed();
    expect(await change('free')).toEqual({ kind: 'scheduled', at: periodEnd * 1000 });
    expect(calls.at(-1)?.body).toBe('cancel_at_period_end=true');
    await billing.webhook(
      ...event('customer.subscription.updated', subscription('price_team', { cancel_at_period_end: true })),
    );
    expect(await planOf()).toBe('team');
    await billing.webhook(
      ...event('customer.subscription.deleted', subscription('price_team', { status: 'canceled' })),
    );
    expect(await planOf()).toBe('free');
    expect(await change('free')).toEqual({ kind: 'free' });
  });

  test('a plan without a price at Stripe is for the operator', async () => {
    expect(await change('asked')).toMatchObject({ kind: 'ask' });
  });

  test('events out of order, of other subscriptions and of other prices change nothing', async () => {
    await change('team');
    await billing.webhook(...event('customer.subscription.created', subscription('price_team'), { at: 2_000_000 }));
    const old = event('customer.subscription.deleted', subscription('price_team', { status: 'canceled' }), {
      at: 1000,
    });
    await billing.webhook(...old);
    const other = subscription('price_team', { id: 'sub_old', status: 'canceled' });
    await billing.webhook(...event('customer.subscription.deleted', other, { at: 2_000_001 }));
    await billing.webhook(...event('customer.subscription.updated', subscription('price_shop'), { at: 2_000_002 }));
    expect(await planOf()).toBe('team');
  });

  test('a subscription that Stripe gave up ends the plan', async () => {
    await change('team');
    await subscribed('price_team', { status: 'past_due' });
    expect(await planOf()).toBe('team');
    await billing.webhook(...event('customer.subscription.updated', subscription('price_team', { status: 'unpaid' })));
    expect(await planOf()).toBe('free');
  });

  test('invoices have number, amount and page', async () => {
    expect(await billing.invoices(await auth.account('ann'))).toEqual([]);
    await change('team');
    expect(await billing.invoices(await auth.account('ann'))).toEqual([
      {
        ...{ id: 'in_1', number: 'A-1', createdAt: 1_790_000_000_000, amount: 1900, currency: 'EUR' },
        ...{ status: 'paid', url: 'https://invoice.example/in_1' },
      },
    ]);
  });

  test('a refused change keeps the plan', async () => {
    await change('team');
    await subscribed();
    status = 402;
    await expect(change('big')).rejects.toMatchObject({ code: 'BILLING_UNAVAILABLE' });
    expect(await planOf()).toBe('team');
  });
});

test('localBilling refers to the operator and refuses webhook events', async () => {
  const step = await localBilling.attach(await auth.account('ann'), { returnUrl: '' });
  expect(step).toEqual({ kind: 'ask', text: expect.stringContaining('attach a card to the account ann') });
  await expect(localBilling.webhook(Buffer.from(''), '')).rejects.toMatchObject({ code: 'WEBHOOK_NOT_EXPECTED' });
  const account = await auth.account('ann');
  const [free, team] = plans;
  if (free === undefined || team === undefined) throw new Error('no plans');
  expect(await localBilling.changePlan(account, free, { returnUrl: '' })).toEqual({ kind: 'free' });
  expect(await localBilling.changePlan(account, team, { returnUrl: '' })).toMatchObject({ kind: 'ask' });
  expect(await localBilling.invoices(account)).toEqual([]);
});
