import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, password, Visit } from './browser.ts';
import { Visitor } from './visitor.ts';

/** Screenshots of this run, kept as artefacts. */
const directory = fileURLToPath(new URL('../dist/screens/', import.meta.url));
const actor = { who: 'test', from: 'here' };
/** A phone, a tablet and a desktop. */
const sizes = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
const themes = ['light', 'dark'] as const;

/** Pages by address, with the text that shows their data. */
const pages = [
  ['/', 'Connect'],
  ['/usage/charts', 'By operation'],
  ['/usage/requests', 'eth_chainId'],
  ['/usage/limits', 'origin'],
  ['/usage/alerts', 'Percentages of a limit'],
  ['/keys', 'website'],
  ['/files', 'notes.txt'],
  ['/files/settings', 'Webhook'],
  ['/names', 'self'],
  ['/networks', 'Chain'],
  ['/explorer', 'Block'],
  ['/playground', 'Method'],
  ['/billing', 'Billing card'],
  ['/members', 'op@example.org'],
  ['/security', 'API tokens'],
  ['/status', 'JSON-RPC'],
  ['/operator/accounts', 'studio'],
  ['/operator/usage', 'Accounts by credits'],
  ['/operator/plans', 'Team'],
  ['/operator/health', 'ready'],
  ['/operator/network', 'IPFS peer'],
  ['/operator/audit', 'created the key'],
] as const;
const entrances = [
  ['/sign-in', 'Sign in'],
  ['/sign-up', 'Create an account'],
] as const;

describeInBrowser('every page in every size and colour scheme', (visit) => {
  beforeAll(async () => {
    mkdirSync(directory, { recursive: true });
    const { stage } = visit;
    await stage.auth.createAccount({ name: 'studio' });
    await stage.auth.attachCard('studio', { brand: 'visa', last4: '4242' });
    await stage.members.add('studio', { email: 'op@example.org', password, role: 'operator', actor });
    const { key, secret } = await stage.auth.createKey('studio', { name: 'website' });
    const authorization = `Basic ${Buffer.from(`${key.id}:${secret}`).toString('base64')}`;
    const form = new FormData();
    form.append('file', new Blob(['notes of a meeting']), 'notes.txt');
    const add = { method: 'POST', headers: { authorization }, body: form };
    expect((await fetch(`${stage.storage.url}/api/v0/add?pin-name=notes.txt`, add)).status).toBe(200);
    for (const method of ['eth_chainId', 'eth_blockNumber', 'eth_chainId', 'eth_planted'])
      await fetch(`${stage.gateway.url}/v3/${key.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://app.example' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
      });
    const visitor = new Visitor(stage.console.url);
    await visitor.ask('POST', 'sign-in', { email: 'op@example.org', password });
    const [name = '', value = ''] = visitor.cookie.split('=');
    await visit.context.addCookies([{ name, value, url: stage.console.url }]);
  });

  /** Opens a page once, takes its screenshot in each scheme, and returns faults of its look. */
  async function faultsOf(shown: Visit, path: string, text: string, width: number) {
    const { page, stage } = shown;
    await page.goto(`${stage.console.url}${path}`);
    await page.getByText(text).first().waitFor();
    const faults: string[] = [];
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Charts are drawn after their data arrived.
      await page.waitForTimeout(150);
      const name = `${path.slice(1).replace('/', '-') || 'overview'}-${width}-${colorScheme}`;
      await page.screenshot({ path: `${directory}${name}.png`, fullPage: true });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) faults.push(`${name}: ${overflow} pixels wider than the screen`);
      // Rules of contrast depend on the scheme, those of scrolling on the size: two cases cover both.
      if (!/390-light|1440-dark/.test(name)) continue;
      faults.push(...(await shown.faults()).map((fault) => `${name}: ${fault}`));
    }
    return faults;
  }

  async function faultsAt(size: (typeof sizes)[number], isSignedIn: boolean) {
    const context = await visit.browser.newContext({
      viewport: size,
      ...(isSignedIn && { storageState: await visit.context.storageState() }),
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const shown = Object.assign(new Visit(), { stage: visit.stage, context, page });
    const faults: string[] = [];
    for (const [path, text] of isSignedIn ? pages : entrances)
      faults.push(...(await faultsOf(shown, path, text, size.width)));
    await context.close();
    return faults;
  }

  test('menus and the page behind them pass the rules of WCAG', async () => {
    const { page, stage } = visit;
    await page.goto(`${stage.console.url}/files`);
    for (const menu of ['Help', 'Account', 'Actions for notes.txt']) {
      await page.getByRole('button', { name: menu }).click();
      await page.getByRole('menu').waitFor();
      expect(await visit.faults()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
  });

  test('the first page loads less than 250 KB', async () => {
    const { context, stage } = visit;
    const page = await context.newPage();
    await page.goto(stage.console.url);
    await page.getByText('Connect').first().waitFor();
    await page.waitForLoadState('networkidle');
    const loaded = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.includes('/assets/'))
        .map(({ name, encodedBodySize }) => ({ name: name.split('/').at(-1), encodedBodySize })),
    );
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThan(250_000);
    await page.close();
  });

  test.each(sizes.map((size) => [size.width, size] as const))('%d pixels wide: no side scroll', async (_, size) => {
    expect(await faultsAt(size, true)).toEqual([]);
    expect(await faultsAt(size, false)).toEqual([]);
  });
});
