import { afterAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, password, type } from './browser.ts';

describeInBrowser('sessions and API tokens in a browser', (visit) => {
  let phone: BrowserContext;
  let other: Page;
  let token: string;
  afterAll(() => phone?.close());
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${visit.stage.console.url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, never> };
  };

  test('a member sees the session of a phone and ends it', async () => {
    const { page, stage } = visit;
    await visit.signUp('mia');
    const userAgent = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36';
    phone = await visit.browser.newContext({ viewport: { width: 390, height: 844 }, userAgent });
    other = await phone.newPage();
    other.setDefaultTimeout(8000);
    await other.goto(stage.console.url);
    await type(other.getByLabel('E-mail'), 'mia@example.org');
    await type(other.locator('input[type=password]'), password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.go('Security');
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByText('Chrome on Android').waitFor();
    expect(await sessions.getByText('This one').count()).toBe(1);
    expect(await visit.faults()).toEqual([]);
    await visit.picture('security');
    await sessions.getByRole('button', { name: 'End the session of Chrome on Android' }).click();
    await page.getByText('Session ended.').waitFor();
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await sessions.getByText('This one').waitFor();
  });

  test('an API token reads, is refused changes, and stops when it is revoked', async () => {
    const { page } = visit;
    const card = page.getByRole('region', { name: 'API tokens' });
    await card.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await type(dialog.getByLabel('Name'), '?');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('1 to 64 letters').waitFor();
    await type(dialog.getByLabel('Name'), 'monthly report');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await card.getByText('The token monthly report is shown once').waitFor();
    await card.getByRole('button', { name: 'Copy the token' }).click();
    token = await page.evaluate(() => navigator.clipboard.readText());
    expect(token).toMatch(/^cairn_pat_/);
    expect(await visit.faults()).toEqual([]);
    expect(await ask('GET', 'me')).toMatchObject({ status: 200, body: { account: { name: 'mia' } } });
    expect(await ask('POST', 'keys', { name: 'planted' })).toMatchObject({
      status: 403,
      body: { error: { code: 'ROLE_NOT_ALLOWED', message: 'This API token only reads.' } },
    });
    expect((await ask('GET', 'me/tokens')).status).toBe(403);
    await page.reload();
    await card.getByText('monthly report').waitFor();
    expect(await card.getByText(token).count()).toBe(0);
    await card.getByRole('button', { name: 'Revoke the token monthly report' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByText('Requests with this token are refused now.').waitFor();
    expect(await ask('GET', 'me')).toMatchObject({ status: 401, body: { error: { code: 'CREDENTIALS_INVALID' } } });
  });

  test('a token that may change data creates a key without the header of the pages', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await type(dialog.getByLabel('Name'), 'deploy');
    await type(dialog.getByLabel('Days until it expires'), '1');
    await dialog.getByRole('switch', { name: 'Only reads' }).click();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The token deploy is shown once').waitFor();
    await page.getByRole('button', { name: 'Copy the token' }).click();
    token = await page.evaluate(() => navigator.clipboard.readText());
    expect((await ask('POST', 'keys', { name: 'by token' })).status).toBe(201);
    expect((await ask('GET', 'operator/accounts')).status).toBe(403);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await visit.faults()).toEqual([]);
  });
});
