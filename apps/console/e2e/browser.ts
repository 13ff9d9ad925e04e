import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { browserPath, type Stage, setStage } from './console.ts';

export const password = 'four words in a row';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Set: screenshots of the README are written. */
const pictures = process.env.CAIRN_PICTURES ? fileURLToPath(new URL('../pictures/', import.meta.url)) : undefined;

/** Rules of WCAG 2.2 level AA that axe can check. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Browser of a visitor, with the services behind the console. */
export class Visit {
  readonly complaints: string[] = [];
  stage!: Stage;
  browser!: Browser;
  context!: BrowserContext;
  page!: Page;

  /** @param env environment of the console; `servicesEnv`: environment of the services behind it */
  async begin(executablePath: string, ...settings: Parameters<typeof setStage>): Promise<void> {
    this.stage = await setStage(...settings);
    this.browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
    await this.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.stage.console.url });
    this.page = await this.context.newPage();
    this.#listen();
  }

  #listen(): void {
    const { page, complaints, stage } = this;
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(stage.console.url) && !request.url().startsWith('data:'))
        complaints.push(`asked ${request.url()}`);
    });
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.stage.stop();
  }

  /** Opens a page by its link. */
  go(name: string): Promise<void> {
    return this.page.getByRole('navigation').getByRole('link', { name }).click();
  }

  /** Waits for the title of the tab. */
  titled(title: string): Promise<unknown> {
    return this.page.waitForFunction((expected) => document.title === expected, title);
  }

  /** Signs up through the page. */
  async signUp(accountName: string): Promise<void> {
    const { page, stage } = this;
    await page.goto(`${stage.console.url}/sign-up`);
    await type(page.getByLabel('Account name'), accountName);
    await type(page.getByLabel('E-mail'), `${accountName}@example.org`);
    await type(page.locator('input[type=password]'), password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }

  /** Writes a screenshot for the README if CAIRN_PICTURES is set. */
  async picture(name: string): Promise<void> {
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    // Waits for the animations of notifications and charts.
    await this.page.evaluate(() => scrollTo(0, 0));
    await this.page.waitForTimeout(600);
    await this.page.screenshot({ path: `${pictures}${name}.png` });
  }

  /** Accessibility violations reported by axe. */
  async faults(): Promise<string[]> {
    const { page } = this;
    // Moves the pointer away, so that no tooltip is fading.
    await page.mouse.move(640, 2);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate((tags) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
      return axe.run({ runOnly: tags });
    }, wcag);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }
}

/** Types into the focused element, with a pause after each character. */
export async function type(field: Locator, text: string, delay = 20): Promise<void> {
  await field.click();
  await field.press('ControlOrMeta+a');
  await field.pressSequentially(text, { delay });
  expect(await field.inputValue()).toBe(text);
}

/** Declares tests of pages. Skipped with one line where no browser is installed. */
export function describeInBrowser(
  title: string,
  tests: (visit: Visit) => void,
  ...settings: Parameters<typeof setStage>
): void {
  if (browserPath === undefined) {
    console.log('skipped: no browser found. On Debian: apt-get install chromium');
    test.skip(`${title}: no browser is installed`, () => {});
    return;
  }
  const executablePath = browserPath;
  describe(title, () => {
    const visit = new Visit();
    beforeAll(() => visit.begin(executablePath, ...settings));
    afterAll(() => visit.end());
    tests(visit);
  });
}
