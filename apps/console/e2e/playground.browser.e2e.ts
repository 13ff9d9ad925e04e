import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { describeInBrowser, type } from './browser.ts';

interface Contracts {
  readonly contracts: { readonly Token: { readonly address: string } };
}

const { contracts } = JSON.parse(
  readFileSync(new URL('../../../tools/sample-network/network/contracts.json', import.meta.url), 'utf8'),
) as Contracts;
const token = contracts.Token.address;
const holder = `0x${'00'.repeat(19)}01`;

/** ABI of a token as a compiler writes it. */
const abi = JSON.stringify({
  abi: [
    {
      type: 'function',
      name: 'balanceOf',
      stateMutability: 'view',
      inputs: [{ name: 'holder', type: 'address' }],
      outputs: [{ name: 'balance', type: 'uint256' }],
    },
    {
      type: 'function',
      name: 'transfer',
      stateMutability: 'nonpayable',
      inputs: [
        { name: 'to', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      outputs: [{ name: '', type: 'bool' }],
    },
  ],
});

describeInBrowser('the playground in a browser', (visit) => {
  const region = (name: string) => visit.page.getByRole('region', { name });
  const choose = async (method: string) => {
    await type(visit.page.getByRole('combobox', { name: 'Method' }), method);
    await visit.page.getByRole('option', { name: method, exact: true }).click();
    await region('Parameters').getByRole('heading', { name: method, exact: true }).waitFor();
  };
  const send = () => region('Parameters').getByRole('button', { name: 'Send' }).click();

  test('a form shows the fault of a field before it sends', async () => {
    await visit.signUp('player');
    await visit.go('Playground');
    await choose('eth_getBlockByHash');
    await type(region('Parameters').getByRole('textbox', { name: 'hash' }), '0x12');
    await send();
    await region('Parameters').getByText('hash: Expected "0x" and 64 hexadecimal digits.').waitFor();
    expect(await visit.faults()).toEqual([]);
  });

  test('a method runs, and its code is shown for four clients', async () => {
    await choose('eth_getBlockByNumber');
    await type(region('Parameters').getByLabel('block', { exact: false }).first(), '0x2');
    await send();
    await visit.page.getByRole('status').getByText('"number": "0x2"').waitFor();
    for (const name of ['curl', 'viem', 'ethers', 'web3.js']) {
      await region('The same call in your program').getByRole('tab', { name }).click();
      await region('The same call in your program')
        .getByRole('button', { name: `Copy for ${name}` })
        .click();
      const copied = await visit.page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain('eth_getBlockByNumber');
      expect(copied).toContain('/v3/<API_KEY>');
    }
    expect(await visit.faults()).toEqual([]);
  });

  test('an ABI gives named functions, decoded results and revert reasons', async () => {
    await choose('eth_call');
    const form = region('Parameters');
    await form.getByLabel('ABI', { exact: true }).fill('{');
    await form.getByText('The ABI is not JSON.').waitFor();
    await form.locator('input[type=file]').setInputFiles({
      name: 'Token.json',
      mimeType: 'application/json',
      buffer: Buffer.from(abi),
    });
    await form.getByText('2 functions').waitFor();
    await type(form.getByLabel('holder (address)'), holder);
    await type(form.getByRole('textbox', { name: 'from', exact: true }), holder);
    await type(form.getByRole('textbox', { name: 'to', exact: true }), token);
    await send();
    await visit.page.getByRole('row', { name: 'uint256 balance 0' }).waitFor();
    await form.getByLabel('Function').selectOption({ label: 'transfer(address to, uint256 amount)' });
    await type(form.getByLabel('to (address)'), holder);
    await type(form.getByLabel('amount (uint256)'), 'many');
    await send();
    await form.getByText('amount: expected a whole number').waitFor();
    await type(form.getByLabel('amount (uint256)'), '1000');
    await send();
    await visit.page.getByText('The contract reverted').waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.picture('playground');
  });

  test('a trace is shown as a tree', async () => {
    await choose('eth_getBlockByNumber');
    await type(region('Parameters').getByLabel('block', { exact: false }).first(), '0x5');
    await send();
    const text = await visit.page.getByRole('status').getByLabel('Result').textContent();
    const [hash] = (JSON.parse(text ?? '') as { transactions: string[] }).transactions;
    await choose('debug_traceTransaction');
    await type(region('Parameters').getByRole('textbox', { name: 'hash' }), hash ?? '');
    await region('Parameters').getByLabel('tracer', { exact: true }).selectOption('callTracer');
    await send();
    await visit.page
      .getByRole('list', { name: 'Calls' })
      .getByText(/\d gas/)
      .first()
      .waitFor();
    expect(await visit.faults()).toEqual([]);
  });

  test('a subscription opens and stops', async () => {
    const live = region('Live events');
    await live.getByRole('button', { name: 'Subscribe' }).click();
    await live.getByText('live', { exact: true }).waitFor();
    await live.getByText('0 events').waitFor();
    await live.getByRole('button', { name: 'Stop' }).click();
    await live.getByRole('button', { name: 'Subscribe' }).waitFor();
    await live.getByLabel('Subscription').selectOption('logs');
    await live.getByLabel('Filter').fill('{"address": "0x1"}');
    await live.getByRole('button', { name: 'Subscribe' }).click();
    await live.getByRole('alert').waitFor();
    expect(await visit.faults()).toEqual([]);
  });

  test('the page has no side scroll on a phone', async () => {
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await visit.page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await visit.page.setViewportSize({ width: 1280, height: 860 });
  });

  test('no page logged an error or sent a request to another origin', () => {
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
