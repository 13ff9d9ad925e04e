import { parsePlan } from '@cairn/metering';
import { afterAll, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import { describeInBrowser, password, type } from './browser.ts';
import { startStripeApi } from './stripe-api.ts';

const actor = { who: 'test', from: 'here' };
const stripeKey = 'sk_test_billing0123456789';
const webhookSecret = 'whsec_billing0123456789';
const stripe = await startStripeApi();
afterAll(() => stripe.stop());

describeInBrowser('plans and prices without a payment provider', (visit) => {
  test('an operator sets prices, and offers plans', async () => {
    const { page, stage } = visit;
    await stage.auth.createAccount({ name: 'house' });
    await stage.members.add('house', { email: 'op@example.org', password, role: 'operator', actor });
    await page.goto(`${stage.console.url}/operator/plans`);
    await type(page.getByLabel('E-mail'), 'op@example.org');
    await type(page.locator('input[type=password]'), password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Change the plan team' }).click();
    const form = page.getByRole('dialog');
    await type(form.getByLabel('Price per month'), '19.5');
    await form.getByRole('switch', { name: 'Members may choose it' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('a price has a currency').waitFor();
    await type(form.getByLabel('Currency'), 'EUR');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('€19.50 per month, offered').waitFor();
    const plans = await stage.plans.plans();
    expect(plans.find(({ name }) => name === 'team')).toMatchObject({ pricePerMonth: 1950, currency: 'EUR' });
    // The limits of the plan stay.
    expect(plans.find(({ name }) => name === 'team')?.creditsPerDay).toBe(75_000_000);
    const free = { pricePerMonth: 0, currency: 'EUR', isOffered: true };
    await stage.plans.put(parsePlan({ ...plans.find(({ name }) => name === 'free'), ...free }));
    await stage.plans.put(parsePlan({ ...free, name: 'students', title: 'Students', creditsPerDay: 5_000_000 }));
    await stage.plans.put(parsePlan({ name: 'secret', title: 'Secret' }));
    await visit.context.clearCookies();
  });

  test('a member changes to a plan without a price, and asks for a paid one', async () => {
    const { page } = visit;
    await visit.signUp('shop');
    await visit.go('Billing');
    await page.getByText('free of charge').waitFor();
    await page.getByRole('button', { name: 'Change the plan' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Plan Free' }).getByText('Your plan').waitFor();
    await dialog.getByText('€19.50 per month').waitFor();
    expect(await dialog.getByText('Secret').count()).toBe(0);
    expect(await visit.faults()).toEqual([]);
    await visit.picture('plans');
    await dialog.getByRole('button', { name: 'Choose Team' }).click();
    await dialog.getByText('Ask the operator of this service for the plan Team').waitFor();
    await dialog.getByRole('button', { name: 'Choose Students' }).click();
    await dialog.getByText('The plan is changed.').waitFor();
    expect((await visit.stage.auth.account('shop')).plan).toBe('students');
    const refused = await page.evaluate(async () => {
      const headers = { 'x-cairn-console': '1', 'content-type': 'application/json' };
      const answer = await fetch('/api/billing/plan', { method: 'POST', headers, body: '{"plan":"secret"}' });
      return [answer.status, (await answer.json()).error.code];
    });
    expect(refused).toEqual([400, 'VALUE_INVALID']);
  });

  test('the statement has the amounts of the plans of the month', async () => {
    const { page, stage } = visit;
    await stage.auth.setPlan('shop', 'team');
    await page.reload();
    await page.getByRole('heading', { name: 'Plan: Team' }).waitFor();
    const row = page.getByRole('table', { name: 'Charges' }).getByRole('row', { name: /^Team, / });
    await row.getByText('€0.00').waitFor();
    expect(await visit.faults()).toEqual([]);
  });
});

describeInBrowser(
  'plans and invoices with Stripe',
  (visit) => {
    test('a paid plan leads to the page of Stripe, whose event sets the plan', async () => {
      const { page, stage } = visit;
      const team = (await stage.plans.plans()).find(({ name }) => name === 'team');
      const price = { pricePerMonth: 1900, currency: 'EUR', stripePrice: 'price_team', isOffered: true };
      await stage.plans.put(parsePlan({ ...team, ...price }));
      await visit.signUp('payer');
      await visit.go('Billing');
      await page.getByRole('region', { name: 'Invoices' }).getByText('No invoices yet').waitFor();
      await page.route('https://checkout.example/**', (route) => route.fulfill({ body: 'pay here' }));
      await page.getByRole('button', { name: 'Change the plan' }).click();
      await page.getByRole('button', { name: 'Choose Team' }).click();
      await page.getByText('pay here').waitFor();
      const items = { data: [{ id: 'si_1', price: { id: 'price_team' }, current_period_end: 1_900_000_000 }] };
      const object = { id: 'sub_1', customer: 'cus_1', status: 'active', cancel_at_period_end: false, items };
      const event = { id: 'evt_1', object: 'event', type: 'customer.subscription.created', created: 1000 };
      const payload = JSON.stringify({ ...event, data: { object } });
      const signature = new Stripe(stripeKey).webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
      const sent = await fetch(`${stage.console.url}/api/billing/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body: payload,
      });
      expect(sent.status).toBe(200);
      await page.goto(`${stage.console.url}/billing`);
      await page.getByRole('heading', { name: 'Plan: Team' }).waitFor();
      const invoices = page.getByRole('region', { name: 'Invoices' });
      expect(await invoices.getByRole('link', { name: 'A-0001' }).getAttribute('href')).toBe(
        'https://invoice.example/in_1',
      );
      await invoices.getByText('€19.00').waitFor();
      expect(await visit.faults()).toEqual([]);
    });
  },
  {
    CAIRN_STRIPE_SECRET_KEY: stripeKey,
    CAIRN_STRIPE_WEBHOOK_SECRET: webhookSecret,
    CAIRN_STRIPE_API_URL: stripe.url,
  },
);
