import { afterAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, password, type } from './browser.ts';
import { linkOf, startMailServer } from './mail-server.ts';

const mail = await startMailServer();
afterAll(() => mail.stop());
const guest = 'guest@example.org';

describeInBrowser(
  'members in a browser',
  (visit) => {
    let context: BrowserContext;
    let other: Page;

    test('an owner invites a member, who joins with the link of the mail', async () => {
      const { page } = visit;
      await visit.signUp('team');
      await visit.go('Members');
      await page.getByText('team@example.org').first().waitFor();
      await page.getByRole('button', { name: 'Invite' }).click();
      const dialog = page.getByRole('dialog');
      await type(dialog.getByLabel('E-mail'), 'team@example.org');
      await dialog.getByRole('button', { name: 'Send the invitation' }).click();
      await dialog.getByText('A member with this e-mail address already exists.').waitFor();
      await type(dialog.getByLabel('E-mail'), guest);
      await dialog.getByRole('combobox', { name: 'Role' }).click();
      await page.getByRole('option', { name: /^Read only/ }).click();
      await dialog.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
      expect(await visit.faults()).toEqual([]);
      const invitation = await mail.mailTo(guest);
      expect(invitation.text).toContain('team@example.org invites you to the account team, with the role read-only.');
      context = await visit.browser.newContext({ viewport: { width: 390, height: 844 } });
      other = await context.newPage();
      other.setDefaultTimeout(8000);
      await other.goto(linkOf(invitation));
      await other.getByText('You join the account team as guest@example.org. Role: read only.').waitFor();
      await type(other.locator('input[type=password]'), password);
      await other.getByRole('button', { name: 'Join' }).click();
      await other.getByRole('heading', { name: 'Overview' }).waitFor();
    });

    test('a read-only member sees the members and is refused a new key', async () => {
      await other.goto(`${visit.stage.console.url}/members`);
      await other.getByText('team@example.org').first().waitFor();
      expect(await other.getByRole('button', { name: 'Invite' }).count()).toBe(0);
      expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      const answer = await other.evaluate(async () => {
        const headers = { 'x-cairn-console': '1', 'content-type': 'application/json' };
        return await (await fetch('/api/keys', { method: 'POST', headers, body: '{"name":"mine"}' })).json();
      });
      expect(answer).toMatchObject({ error: { code: 'ROLE_NOT_ALLOWED' } });
    });

    test('a change of the role applies to the next page of the member', async () => {
      const { page } = visit;
      await page.getByRole('combobox', { name: `Role of ${guest}` }).click();
      await page.getByRole('option', { name: /^Billing/ }).click();
      await page.getByText(`The role of ${guest} is changed.`).waitFor();
      await other.goto(`${visit.stage.console.url}/keys`);
      await other.getByRole('heading', { name: 'Usage' }).waitFor();
      await other.getByRole('button', { name: 'Navigation' }).click();
      await other.getByRole('link', { name: 'Billing' }).waitFor();
      expect(await other.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    });

    test('the last owner keeps the role; a removed member is signed out', async () => {
      const { page } = visit;
      await page.getByRole('combobox', { name: 'Role of team@example.org' }).click();
      await page.getByRole('option', { name: /^Developer/ }).click();
      await page.getByText('The member is the last owner of the account.').waitFor();
      await page.getByRole('button', { name: `Remove ${guest}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText(`${guest} is removed.`).waitFor();
      await other.reload();
      await other.getByRole('heading', { name: 'Sign in' }).waitFor();
      await context.close();
      expect(await visit.faults()).toEqual([]);
    });

    test('a withdrawn invitation does not open', async () => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Invite' }).click();
      await type(page.getByRole('dialog').getByLabel('E-mail'), guest);
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      const link = linkOf(await mail.mailTo(guest, 2));
      await page.getByRole('button', { name: `Withdraw the invitation of ${guest}` }).click();
      await page.getByText(`The invitation of ${guest} is withdrawn.`).waitFor();
      await page.goto(link);
      await page.getByText('The link is not valid').waitFor();
    });
  },
  { CAIRN_SMTP_URL: mail.url, CAIRN_MAIL_FROM: 'Cairn <no-reply@example.org>' },
);
