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
  billing = new StripeBilling({ auth, store, secretKey, webhookSecret, apiUrl });
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

test('localBilling refers to the operator and refuses webhook events', async () => {
  const step = await localBilling.attach(await auth.account('ann'), { returnUrl: '' });
  expect(step).toEqual({ kind: 'ask', text: expect.stringContaining('attach a card to the account ann') });
  await expect(localBilling.webhook(Buffer.from(''), '')).rejects.toMatchObject({ code: 'WEBHOOK_NOT_EXPECTED' });
});
