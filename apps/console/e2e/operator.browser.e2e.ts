import { afterAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, password, type } from './browser.ts';

const actor = { who: 'test', from: 'here' };

describeInBrowser('the pages of an operator', (visit) => {
  let customer: BrowserContext;
  let other: Page;
  afterAll(() => customer?.close());

  test('usage names the busiest accounts and operations', async () => {
    const { page, stage } = visit;
    await visit.signUp('acme');
    // Calls of the customer, one of which fails.
    for (const method of ['eth_chainId', 'eth_chainId', 'eth_planted'])
      await page.evaluate(async (called) => {
        const headers = { 'x-cairn-console': '1', 'content-type': 'application/json' };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: called, params: [] });
        const networks = await (await fetch('/api/networks')).json();
        await fetch(`/api/networks/${networks[0].name}/rpc`, { method: 'POST', headers, body });
      }, method);
    await stage.auth.changeAccount('acme', { quotaBytes: 3 * 1024 ** 3 });
    // The customer stays signed in with another browser.
    customer = await visit.browser.newContext({ storageState: await visit.context.storageState() });
    other = await customer.newPage();
    other.setDefaultTimeout(8000);
    await stage.auth.createAccount({ name: 'house' });
    await stage.members.add('house', { email: 'op@example.org', password, role: 'operator', actor });
    await visit.context.clearCookies();
    await page.goto(`${stage.console.url}/operator/usage`);
    await type(page.getByLabel('E-mail'), 'op@example.org');
    await type(page.locator('input[type=password]'), password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('tab', { name: 'Usage', selected: true }).waitFor();
    const accounts = page.getByRole('table', { name: 'Accounts by credits' });
    // The answer is up to 15 s old, and usage is stored a second after the calls.
    await accounts.getByRole('row', { name: /^acme/ }).waitFor({ timeout: 40_000 });
    await page
      .getByRole('table', { name: 'Operations' })
      .getByRole('row', { name: /^eth_chainId 2 0/ })
      .waitFor();
    await page.getByRole('table', { name: 'Services' }).getByRole('row', { name: /^rpc/ }).waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.picture('operator-usage');
    await page.getByText('Month', { exact: true }).click();
    await page.getByRole('row', { name: /^acme/ }).waitFor();
  });

  test('limits have units, and the audit log says what changed from which value', async () => {
    const { page } = visit;
    await page.getByRole('tab', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: 'Change acme' }).click();
    const form = page.getByRole('dialog');
    expect(await form.getByLabel('Quota', { exact: true }).inputValue()).toBe('3');
    await type(form.getByLabel('Quota', { exact: true }), '1.5');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await visit.stage.auth.account('acme')).quotaBytes).toBe(1.5 * 1024 ** 3);
    await page.getByRole('tab', { name: 'Plans' }).click();
    await page.getByRole('button', { name: 'Change the plan free' }).click();
    const plan = page.getByRole('dialog');
    await plan.getByRole('combobox', { name: 'Unit of Stored' }).click();
    await page.getByRole('option', { name: 'TiB' }).click();
    await type(plan.getByLabel('Stored', { exact: true }), '2');
    await plan.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2.0 TiB').waitFor();
    await page.getByRole('button', { name: 'New plan' }).click();
    await type(plan.getByLabel('Name'), 'free');
    await type(plan.getByLabel('Title'), 'Free of charge');
    await plan.getByRole('button', { name: 'Save' }).click();
    await plan.getByText('The plan free exists already.').waitFor();
    await plan.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('tab', { name: 'Audit log' }).click();
    const changed = page.getByRole('article').filter({ hasText: 'op@example.org changed the storage quota' });
    await changed.getByText('Quota: 3.0 GiB → 1.5 GiB').waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.picture('operator-audit');
    await type(page.getByRole('textbox', { name: 'Account' }), 'house');
    await changed.waitFor({ state: 'detached' });
    await page.getByText('added the member op@example.org').waitFor();
    await type(page.getByRole('textbox', { name: 'Account' }), 'none');
    await page.getByText('There is no account "none".').waitFor();
  });

  test('a view shows the pages of a customer, changes nothing, and is logged with its reason', async () => {
    const { page } = visit;
    await page.getByRole('tab', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: 'View acme' }).click();
    const dialog = page.getByRole('dialog');
    await type(dialog.getByLabel('Reason'), 'why');
    await dialog.getByRole('button', { name: 'View' }).click();
    await dialog.getByText('5 to 200 characters').waitFor();
    await type(dialog.getByLabel('Reason'), 'ticket 42: calls fail');
    await dialog.getByRole('button', { name: 'View' }).click();
    await page.getByText('You view the account acme').waitFor();
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    await visit.go('API keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
    expect(await visit.faults()).toEqual([]);
    const refused = await page.evaluate(async () => {
      const headers = { 'x-cairn-console': '1', 'content-type': 'application/json' };
      return await (await fetch('/api/keys', { method: 'POST', headers, body: '{"name":"planted"}' })).json();
    });
    expect(refused).toMatchObject({ error: { code: 'ROLE_NOT_ALLOWED' } });
    // Refusals are the only complaints of the browser.
    expect(visit.complaints.splice(0).filter((text) => !/40[0134]/.test(text))).toEqual([]);
    await page.getByRole('button', { name: 'End the view' }).click();
    await page.getByRole('heading', { name: 'Operator' }).waitFor();
    await page.getByRole('tab', { name: 'Audit log' }).click();
    await page.getByRole('combobox', { name: 'Changes of' }).click();
    await page.getByRole('option', { name: 'Views of operators' }).click();
    await page.getByText('op@example.org viewed the account: ticket 42: calls fail').waitFor();
  });

  test('a customer is not affected by the view, and cannot view others', async () => {
    await other.goto(`${visit.stage.console.url}/keys`);
    await other.getByRole('button', { name: 'Create a key' }).waitFor();
    const { id } = await visit.stage.auth.account('house');
    const answer = await other.evaluate(async (account) => {
      const headers = { 'x-cairn-console': '1', 'content-type': 'application/json' };
      const body = JSON.stringify({ reason: 'curiosity' });
      return (await fetch(`/api/operator/accounts/${account}/view`, { method: 'POST', headers, body })).status;
    }, id);
    expect(answer).toBe(403);
  });
});
