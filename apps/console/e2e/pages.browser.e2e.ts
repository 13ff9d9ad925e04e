import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { describeInBrowser, password, type } from './browser.ts';

describeInBrowser('pages in a browser', (visit) => {
  test('signs up with a card and makes a call', async () => {
    await visit.signUp('browsing');
    const { auth, gateway } = visit.stage;
    await auth.attachCard('browsing', { brand: 'visa', last4: '4242' });
    const { key } = await auth.createKey('browsing', { name: 'website' });
    const answer = await fetch(`${gateway.url}/v3/${key.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
    });
    expect(answer.status).toBe(200);
    await visit.page.reload();
  });

  test('networks shows a block by its hash and a reverting call', async () => {
    await visit.go('Networks');
    await visit.page.getByText('Block 24').waitFor();
    await visit.page.getByRole('button', { name: 'The newest one' }).click();
    await visit.page.getByRole('rowheader', { name: 'State root' }).waitFor();
    const contracts = JSON.parse(
      readFileSync(new URL('../../../tools/sample-network/network/contracts.json', import.meta.url), 'utf8'),
    ) as { contracts: { Token: { address: string; selectors: Record<string, string> } } };
    const { address, selectors } = contracts.contracts.Token;
    await visit.page.getByRole('textbox', { name: 'To' }).fill(address);
    const word = (text: string) => text.padStart(64, '0');
    await visit.page.getByRole('textbox', { name: 'Data' }).fill(`0x${selectors['balanceOf(address)']}${word('1')}`);
    await visit.page.getByRole('button', { name: 'Call', exact: true }).click();
    await visit.page.getByRole('status').getByText('As a number: 0').waitFor();
    // A token transfer without balance reverts.
    await visit.page
      .getByRole('textbox', { name: 'Data' })
      .fill(`0x${selectors['transfer(address,uint256)']}${word('1')}${word('ff')}`);
    await visit.page.getByRole('button', { name: 'Call', exact: true }).click();
    await visit.page.getByText('The contract reverted').waitFor();
    await visit.picture('networks');
    expect(await visit.faults()).toEqual([]);
  });

  test('billing, security and dark colours are shown', async () => {
    await visit.go('Billing');
    await visit.page.getByText('visa ending in 4242').waitFor();
    await visit.page.getByRole('cell', { name: 'eth_blockNumber', exact: true }).first().waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.page.getByRole('button', { name: 'Use dark colours' }).click();
    expect(await visit.faults()).toEqual([]);
    await visit.go('Security');
    await visit.page.getByRole('button', { name: 'Set it up' }).click();
    await visit.page.getByAltText('QR code to scan with the app').waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.go('Usage');
    await visit.page.getByTestId('total-requests').waitFor();
    await visit.picture('dark');
    expect(await visit.faults()).toEqual([]);
    await visit.page.getByRole('button', { name: 'Use light colours' }).click();
  });

  test('works on a phone and by keyboard, and hides operator pages from members', async () => {
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await visit.page.goto(`${visit.stage.console.url}/operator`);
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await visit.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await visit.page.getByRole('button', { name: 'Navigation' }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('link', { name: 'Files', exact: true }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('heading', { name: 'Files' }).waitFor();
    expect(await visit.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await visit.picture('phone');
    // A keyboard reaches the page without all links of the navigation.
    await visit.page.keyboard.press('Escape');
    await visit.page.reload();
    await visit.page.getByRole('heading', { name: 'Files' }).waitFor();
    await visit.page.keyboard.press('Tab');
    await visit.page.keyboard.press('Enter');
    expect(await visit.page.evaluate(() => document.activeElement?.id)).toBe('page');
    await visit.page.setViewportSize({ width: 1280, height: 860 });
  });

  test('an operator suspends an account, which ends its sessions', async () => {
    await visit.stage.auth.createAccount({ name: 'house', plan: 'local' });
    const actor = { who: 'test', from: 'here' };
    await visit.stage.members.add('house', { email: 'op@example.org', password, role: 'operator', actor });
    const other = await visit.browser.newContext({ viewport: { width: 1280, height: 860 } });
    const operator = await other.newPage();
    await operator.goto(visit.stage.console.url);
    await type(operator.getByLabel('E-mail'), 'op@example.org');
    await type(operator.locator('input[type=password]'), 'not the words');
    await operator.getByRole('button', { name: 'Sign in' }).click();
    await operator.getByText('E-mail address or password is not right').waitFor();
    await type(operator.locator('input[type=password]'), password);
    await operator.getByRole('button', { name: 'Sign in' }).click();
    await operator.getByRole('link', { name: 'Operator' }).click();
    await operator.getByRole('tab', { name: 'Plans' }).click();
    expect(new URL(operator.url()).pathname).toBe('/operator/plans');
    await operator.reload();
    await operator.getByRole('tab', { name: 'Plans', selected: true }).waitFor();
    await operator.getByRole('tab', { name: 'Accounts' }).click();
    await operator.getByRole('button', { name: 'Change browsing' }).click();
    await operator.getByRole('dialog').getByRole('combobox', { name: 'Status' }).click();
    await operator.getByRole('option', { name: 'suspended' }).click();
    await operator.getByRole('button', { name: 'Save' }).click();
    await operator.getByText('Saved. All services use the new values.').waitFor();
    await operator.getByRole('tab', { name: 'Health' }).click();
    await operator.getByText('ready', { exact: true }).first().waitFor();
    await operator.getByRole('tab', { name: 'Audit log' }).click();
    await operator.getByText('op@example.org suspended the account').waitFor();
    await operator.getByRole('tab', { name: 'Plans' }).click();
    await operator.getByRole('button', { name: 'Change the plan team' }).waitFor();
    await other.close();
    await visit.page.reload();
    await visit.page.getByText('The account is suspended.').waitFor();
  });

  test('no page logged an error or sent a request to another origin', () => {
    // The browser logs refusals of the API as errors. Those above are expected.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
