import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { importTree, profiles, type TreeEntry } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Path of Debian's Chromium. The tests download no browser. */
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** Rules of WCAG 2.2 level AA that axe can check. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Directory for screenshots, where set. */
const pictures = process.env.CAIRN_PICTURES;
const names = [
  ...[
    'a.png',
    'b.mp4',
    'c.mp3',
    'd.zip',
    'plain',
    'ą ę.txt',
    '日本語.txt',
    'العربية.txt',
    'עברית.txt',
    'हिन्दी.txt',
    '😀.txt',
  ],
  ...['<img src=x onerror=alert(1)>.txt', '100% #1?.txt', `${'long'.repeat(55)}.txt`, 'a b  c.txt'],
];

async function* content(bytes: string | Uint8Array) {
  yield Buffer.from(bytes);
}

const index = `<!doctype html><html lang="en"><title>Site</title><link rel="stylesheet" href="style.css">
<h1>Site</h1><a href="about.html">About</a><p id="path"></p><script src="app.js"></script>`;

function entries(): TreeEntry[] {
  const file = (path: string, bytes: string | Uint8Array) => ({ path: `root/${path}`, content: content(bytes) });
  return [
    ...names.map((name) => file(`listing/${name}`, name)),
    file('listing/directory/inner.txt', 'inner'),
    ...Array.from({ length: 10_000 }, (_, number) =>
      file(`many/entry ${number} of a directory with shards.txt`, `${number}`),
    ),
    file('site/index.html', index),
    file('site/about.html', '<!doctype html><title>About</title><h1>About</h1>'),
    file('site/style.css', 'h1{color:rgb(1,2,3)}'),
    file('site/app.js', "document.querySelector('#path').textContent = location.pathname;"),
    file('site/_redirects', '/* /index.html 200\n'),
    file('plain/data.txt', 'data'),
  ];
}

if (browserPath === undefined) {
  process.stderr.write('skipped: no browser found. On Debian: apt-get install chromium\n');
  test.skip('no browser is installed', () => {});
} else describe('pages in a browser', () => inBrowser(browserPath));

function inBrowser(executablePath: string): void {
  const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-pages-'));
  const cids = new Map<string, string>();
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  let port = '';
  const root = () => cids.get('root') ?? '';
  const site = (name: string, path = '/') => `http://${cids.get(`root/${name}`)}.ipfs.localhost:${port}${path}`;
  const path = (name: string) => `${service.url}/ipfs/${root()}/${name}`;

  beforeAll(async () => {
    const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
    for await (const { path, cid } of importTree(entries(), blocks, profiles['unixfs-v1-2025']))
      cids.set(path, `${cid}`);
    await blocks.sync();
    await blocks.close();
    service = await startService({ main, home, env: { IPFS_GATEWAY_ACCESS: 'public' } });
    port = new URL(service.url).port;
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    page = await browser.newPage();
    // The limit of each test decides: a slow machine needs longer for a page of 10,000 rows.
    page.setDefaultTimeout(0);
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    rmSync(home, { recursive: true });
  });

  const picture = async (name: string) => {
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
  };
  const faults = async () => {
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate((tags) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
      return axe.run({ runOnly: tags });
    }, wcag);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  };
  /** Pixels that the page is wider than the window. */
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  test.each([390, 768, 1440])(
    'a listing has no side scroll and no accessibility faults in both themes, at %i px',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(path('listing/'));
        await picture(`listing-${width}-${colorScheme}`);
        expect(await overflow()).toBeLessThanOrEqual(0);
        expect(await faults()).toEqual([]);
      }
    },
  );

  test('a listing shows each name as text, and each link leads to its file', async () => {
    await page.goto(path('listing/'));
    const links = await page
      .locator('td[dir] a')
      .evaluateAll((all) => all.map((link) => [link.textContent ?? '', (link as HTMLAnchorElement).href] as const));
    expect(links.map(([name]) => name).sort()).toEqual([...names, 'directory'].sort());
    for (const [name, href] of links) if (name !== 'directory') expect(await (await fetch(href)).text()).toBe(name);
    expect(complaints).toEqual([]);
  });

  test('breadcrumbs and the parent link lead up, with the keyboard', async () => {
    await page.goto(path('listing/directory/'));
    await page.getByRole('link', { name: '..' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(path('listing/'));
    await page.goto(path('listing/directory/'));
    await page.getByRole('heading').getByRole('link', { name: 'listing' }).click();
    await page.waitForURL(path('listing/'));
    await page.getByRole('heading').getByRole('link', { name: root() }).click();
    await page.waitForURL(path(''));
  });

  test('a directory of 10,000 entries lists all of them', async () => {
    await page.goto(path('many/'));
    expect(await page.locator('tbody tr').count()).toBe(10_001);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await picture('many');
  });

  test.each([
    ['/ipfs/nonsense', 400, 'not valid'],
    ['/ipfs/bafkreieogg3nlfsw2hfbomanvhdrw5bfftdn67pui7rcg6gqo4ofuramfa', 404, 'Not found'],
    ['/ipns/unknown.invalid', 500, 'could not be read'],
  ])('%s gives the error page %i', async (target, status, text) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const response = await page.goto(`${service.url}${target}`);
      expect(response?.status()).toBe(status);
      expect(await page.getByRole('heading').textContent()).toContain(text);
      expect(await faults()).toEqual([]);
    }
    await picture(`error-${status}`);
  });

  test('a path moves to the subdomain, where each CID is an origin of its own', async () => {
    await page.goto(`http://localhost:${port}/ipfs/${cids.get('root/site')}/`);
    expect(page.url()).toBe(site('site'));
    await page.evaluate(() => localStorage.setItem('secret', 'of the site'));
    await page.goto(site('plain'));
    expect(await page.evaluate(() => localStorage.getItem('secret'))).toBeNull();
    await page.goto(site('site'));
    expect(await page.evaluate(() => localStorage.getItem('secret'))).toBe('of the site');
  });

  test('a site has its style, script, relative links and _redirects', async () => {
    await page.goto(site('site'));
    expect(await page.getByRole('heading').evaluate((heading) => getComputedStyle(heading).color)).toBe('rgb(1, 2, 3)');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('heading', { name: 'About' }).waitFor();
    await page.goto(site('site', '/any-route'));
    expect(await page.locator('#path').textContent()).toBe('/any-route');
  });
}
