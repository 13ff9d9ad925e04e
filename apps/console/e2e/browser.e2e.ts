import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parsePlan } from '@cairn/metering';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { browserPath, type Stage, setStage } from './console.ts';

const password = 'four words in a row';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Pictures of the README are made anew where this is set. */
const pictures = process.env.CAIRN_PICTURES ? fileURLToPath(new URL('../pictures/', import.meta.url)) : undefined;

/** What is asked for by level AA of WCAG 2.2, as far as a program can tell. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

if (browserPath === undefined) {
  console.log('skipped: there is no browser here; on Debian: apt-get install chromium');
  test.skip('pages in a browser: none is installed', () => {});
} else {
  describe('pages in a browser', () => inBrowser(browserPath as string));
}

function inBrowser(executablePath: string): void {
  let stage: Stage;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let key: { id: string; secret: string };

  beforeAll(async () => {
    stage = await setStage();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.console.url });
    page = await context.newPage();
    page.setDefaultTimeout(8000);
    complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(stage.console.url) && !request.url().startsWith('data:'))
        complaints.push(`asked ${request.url()}`);
    });
  });
  afterAll(async () => {
    await browser.close();
    await stage.stop();
  });

  const rpc = (method = 'eth_blockNumber') =>
    fetch(`${stage.gateway.url}/v3/${key.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    });
  const kubo = (command: string) =>
    fetch(`${stage.storage.url}/api/v0/${command}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}` },
    });
  const go = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
  const picture = async (name: string) => {
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    // Notes and charts move for a moment.
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(600);
    await page.screenshot({ path: `${pictures}${name}.png` });
  };
  /** What a screen reader or a keyboard would stumble over. */
  const faults = async (): Promise<string[]> => {
    // What the pointer is on has a hint, which fades.
    await page.mouse.move(640, 2);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate((tags) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
      return axe.run({ runOnly: tags });
    }, wcag);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  };

  /** Types as a person does: into the element that has the focus, with a pause after each character. */
  const type = async (field: Locator, text: string, delay = 20) => {
    await field.click();
    await field.press('ControlOrMeta+a');
    await field.pressSequentially(text, { delay });
    expect(await field.inputValue()).toBe(text);
  };

  const titled = (title: string) => page.waitForFunction((expected) => document.title === expected, title);

  test('the sign-up form keeps its text and focus while a person types slowly', async () => {
    await page.goto(stage.console.url);
    await titled('Sign in · Cairn');
    expect(await faults()).toEqual([]);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await type(page.getByLabel('Account name'), 'browsing');
    // Longer than the page's polls are apart.
    await type(page.getByLabel('E-mail'), 'ann@example.org', 500);
    expect(await page.getByLabel('Account name').inputValue()).toBe('browsing');
    await titled('Create an account · Cairn');
  });

  test('signing up opens the console', async () => {
    await type(page.locator('input[type=password]'), 'short');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('alert').getByText('expected 10 to 256 characters').waitFor();
    await type(page.locator('input[type=password]'), password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('No requests in this time').waitFor();
    await titled('Overview · Cairn');
    expect((await stage.auth.account('browsing')).plan).toBe('free');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'cairn_session', httpOnly: true, sameSite: 'Strict' });
  });

  test('a key is made, and its secret shown once with code to paste', async () => {
    await go('API keys');
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('website');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your key' });
    const [id, secret] = [dialog.getByLabel('Key', { exact: true }), dialog.getByLabel('Secret', { exact: true })];
    key = { id: await id.inputValue(), secret: await secret.inputValue() };
    expect(key.id).toMatch(/^ck_/);
    for (const name of ['curl', 'kubo-rpc-client', 'viem', 'ethers', 'web3.js']) {
      await dialog.getByRole('tab', { name }).click();
      await dialog.getByRole('button', { name: `Copy for ${name}` }).click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(key.id);
      expect(copied).toContain(name === 'kubo-rpc-client' ? stage.storage.url : stage.gateway.url);
    }
    await picture('key');
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await secret.inputValue()).toBe(key.secret);
    await dialog.getByRole('button', { name: 'I have copied the secret' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key.secret);
    expect((await rpc()).status).toBe(200);
    expect((await kubo('version')).status).toBe(402);
  });

  test('a new secret is made only after a confirmation', async () => {
    await page.getByRole('button', { name: 'New secret' }).click();
    const question = page.getByRole('dialog', { name: 'Make a new secret for website?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await kubo('version')).status).toBe(402);
    await page.getByRole('button', { name: 'New secret' }).click();
    await question.getByRole('button', { name: 'Make a new secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your key' });
    expect(await dialog.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(key.secret);
    await dialog.getByRole('button', { name: 'I have copied the secret' }).click();
  });

  test('a file that is dropped here is read back with that key', async () => {
    await go('Files');
    await page.getByText('Storage needs a billing card').waitFor();
    await stage.auth.attachCard('browsing', { brand: 'visa', last4: '4242' });
    await page.reload();
    const bytes = Buffer.from('content of a browser').toString('base64');
    // As a person does: the file is dropped on the page.
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      const content = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      data.items.add(new File([content], 'dropped.txt', { type: 'text/plain' }));
      return data;
    }, bytes);
    await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByText('dropped.txt is stored.').waitFor();
    await page.locator('input[type=file]').setInputFiles({
      name: 'report.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(300_000, 'report '),
    });
    await page.getByRole('cell', { name: 'report.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy the CID of dropped.txt' }).click();
    const cid = await page.evaluate(() => navigator.clipboard.readText());
    expect(await (await kubo(`cat?arg=${cid}`)).text()).toBe('content of a browser');
    await page.getByLabel('Search files').fill('report');
    await page.getByRole('cell', { name: 'dropped.txt', exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Search files').fill('');
    await picture('files');
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Actions for dropped.txt' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('dropped.txt');
    await page.getByRole('button', { name: 'Actions for dropped.txt' }).click();
    await page.getByRole('menuitem', { name: 'Unpin' }).click();
    await page.getByRole('button', { name: 'Unpin it' }).click();
    await page.getByRole('cell', { name: 'dropped.txt', exact: true }).waitFor({ state: 'detached' });
  });

  test('the chart shows the requests just made', async () => {
    await go('Overview');
    await page.getByTestId('total-requests').waitFor();
    for (let count = 0; count < 12; count++) await rpc();
    // One was made with the key as it was new.
    await page.getByRole('row', { name: /^eth_blockNumber 13 0 0 13 / }).waitFor({ timeout: 10_000 });
    expect(await page.locator('.recharts-bar-rectangle path').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'eth_blockNumber' }).click();
    await page.getByText('13 requests, 0 of them failed').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('13 requests, 0 of them failed').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'By key' }).click();
    await page.getByRole('cell', { name: 'website', exact: true }).waitFor();
    expect(await faults()).toEqual([]);
    await picture('overview');
  });

  test('networks, a block by its hash, and a call that reverts', async () => {
    await go('Networks');
    await page.getByText('Block 24').waitFor();
    await page.getByRole('button', { name: 'The newest one' }).click();
    await page.getByRole('rowheader', { name: 'State root' }).waitFor();
    const contracts = JSON.parse(
      readFileSync(new URL('../../../tools/sample-network/network/contracts.json', import.meta.url), 'utf8'),
    ) as { contracts: { Token: { address: string; selectors: Record<string, string> } } };
    const { address, selectors } = contracts.contracts.Token;
    await page.getByRole('textbox', { name: 'To' }).fill(address);
    const word = (text: string) => text.padStart(64, '0');
    await page.getByRole('textbox', { name: 'Data' }).fill(`0x${selectors['balanceOf(address)']}${word('1')}`);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('status').getByText('As a number: 0').waitFor();
    // Nobody may send what he has not.
    await page
      .getByRole('textbox', { name: 'Data' })
      .fill(`0x${selectors['transfer(address,uint256)']}${word('1')}${word('ff')}`);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('The contract reverted').waitFor();
    await picture('networks');
    expect(await faults()).toEqual([]);
  });

  test('billing, security and dark colours', async () => {
    await go('Billing');
    await page.getByText('visa ending in 4242').waitFor();
    await page.getByRole('cell', { name: 'eth_blockNumber', exact: true }).first().waitFor();
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Use dark colours' }).click();
    expect(await faults()).toEqual([]);
    await go('Security');
    await page.getByRole('button', { name: 'Set it up' }).click();
    await page.getByAltText('QR code to scan with the app').waitFor();
    expect(await faults()).toEqual([]);
    await go('Overview');
    await page.getByTestId('total-requests').waitFor();
    await picture('dark');
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Use light colours' }).click();
  });

  test('a limit that is reached is shown', async () => {
    await stage.plans.put(parsePlan({ name: 'tiny', title: 'Tiny', creditsPerDay: 1 }));
    await stage.auth.setPlan('browsing', 'tiny');
    for (let tries = 0; (await rpc()).status !== 429; tries++) {
      if (tries === 100) throw new Error('the limit does not hold');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await go('Overview');
    await page.getByText(/[1-9]\d* refused by a limit/).waitFor({ timeout: 10_000 });
    await page.getByLabel('Credits today: 100 percent of the limit').waitFor();
    await stage.auth.setPlan('browsing', 'free');
    while ((await rpc()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  test('a revoked key gets 401 within a second', async () => {
    await go('API keys');
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('Revoked. Requests with it').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await rpc()).status).toBe(401);
    expect((await kubo('version')).status).toBe(401);
    await page.getByText('revoked', { exact: true }).waitFor();
  });

  test('works on a phone, by keyboard, and keeps operators’ pages from others', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stage.console.url}/operator`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Navigation' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Files' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await picture('phone');
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('an operator sees all accounts and suspends one; who is signed in there is out', async () => {
    await stage.auth.createAccount({ name: 'house', plan: 'local' });
    const actor = { who: 'test', from: 'here' };
    await stage.members.add('house', { email: 'op@example.org', password, role: 'operator', actor });
    const other = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const operator = await other.newPage();
    await operator.goto(stage.console.url);
    await type(operator.getByLabel('E-mail'), 'op@example.org');
    await type(operator.locator('input[type=password]'), 'not the words');
    await operator.getByRole('button', { name: 'Sign in' }).click();
    await operator.getByText('E-mail address or password is not right').waitFor();
    await type(operator.locator('input[type=password]'), password);
    await operator.getByRole('button', { name: 'Sign in' }).click();
    await operator.getByRole('link', { name: 'Operator' }).click();
    await operator.getByRole('button', { name: 'Change browsing' }).click();
    await operator.getByRole('dialog').getByRole('combobox', { name: 'Status' }).click();
    await operator.getByRole('option', { name: 'suspended' }).click();
    await operator.getByRole('button', { name: 'Save' }).click();
    await operator.getByText('Saved. All services use the new values.').waitFor();
    await operator.getByRole('tab', { name: 'Health' }).click();
    await operator.getByText('ready', { exact: true }).first().waitFor();
    await operator.getByRole('tab', { name: 'Audit log' }).click();
    await operator.getByRole('cell', { name: 'account.status', exact: true }).waitFor();
    await operator.getByRole('tab', { name: 'Plans' }).click();
    await operator.getByRole('button', { name: 'Change the plan team' }).waitFor();
    await other.close();
    await page.reload();
    await page.getByText('The account is suspended.').waitFor();
  });

  test('no page complained, and none asked anybody else', () => {
    // The browser tells refusals of the API as errors; those above were meant.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
}
