import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { describeInBrowser, type } from './browser.ts';

const { contracts } = JSON.parse(
  readFileSync(new URL('../../../tools/sample-network/network/contracts.json', import.meta.url), 'utf8'),
) as { contracts: { Token: { address: string } } };

describeInBrowser('the explorer in a browser', (visit) => {
  const find = async (text: string) => {
    await type(visit.page.getByLabel('Block, transaction or address'), text);
    await visit.page.getByRole('button', { name: 'Find' }).click();
  };
  const verified = () => visit.page.getByRole('status').getByText('Recomputed in this browser').waitFor();

  test('shows the newest block, verified', async () => {
    await visit.signUp('explorer');
    await visit.go('Explorer');
    await visit.page.getByRole('heading', { name: 'Block 24' }).waitFor();
    await verified();
    expect(await visit.faults()).toEqual([]);
  });

  test('follows links from a block to a transaction and to its sender', async () => {
    await find('5');
    await visit.page.getByRole('heading', { name: 'Block 5' }).waitFor();
    await visit.picture('explorer');
    await visit.page.getByRole('table').nth(1).getByRole('link').first().click();
    await visit.page.getByRole('heading', { name: 'Transaction' }).waitFor();
    await visit.page.getByText('succeeded').waitFor();
    await verified();
    expect(await visit.faults()).toEqual([]);
    await visit.page.getByRole('row', { name: /^From/ }).getByRole('link').click();
    // The sender of this transaction has delegated its code (EIP-7702).
    await visit.page.getByRole('heading', { name: 'Delegated account' }).waitFor();
    await visit.page.getByRole('row', { name: /^Delegates to 0x/ }).waitFor();
    await visit.page.getByText(/ETH$/).waitFor();
    await verified();
    await visit.page.goBack();
    await visit.page.getByRole('heading', { name: 'Transaction' }).waitFor();
  });

  test('shows a contract, an absent account, and what is not found', async () => {
    await find(contracts.Token.address);
    await visit.page.getByRole('heading', { name: 'Contract' }).waitFor();
    await find(`0x${'ab'.repeat(20)}`);
    await visit.page.getByText('the account does not exist at this block').waitFor();
    await find(`0x${'ab'.repeat(32)}`);
    await visit.page.getByText('Not found').waitFor();
    await find('me');
    await visit.page.getByRole('alert').getByText('Enter a block number').waitFor();
    expect(await visit.faults()).toEqual([]);
  });

  test('shows no block whose answer was changed on the way', async () => {
    await visit.page.route('**/api/networks/*/rpc', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace(/"gasUsed":"0x[0-9a-f]+"/, '"gasUsed":"0x1"') });
    });
    await find('6');
    await visit.page.getByRole('alert').waitFor();
    expect(await visit.page.getByRole('heading', { name: 'Block 6' }).count()).toBe(0);
    expect(await visit.page.getByText('Recomputed in this browser').count()).toBe(0);
    await visit.page.unroute('**/api/networks/*/rpc');
  });

  test('has no side scroll on a phone', async () => {
    await find('7');
    await visit.page.getByRole('heading', { name: 'Block 7' }).waitFor();
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await visit.page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await visit.page.setViewportSize({ width: 1280, height: 860 });
  });

  test('no page logged an error or sent a request to another origin', () => {
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
