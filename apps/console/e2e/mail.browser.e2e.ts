import { afterAll, expect, test } from '@jest/globals';
import { describeInBrowser, password, type } from './browser.ts';
import { linkOf, startMailServer } from './mail-server.ts';
import { Visitor } from './visitor.ts';

const mail = await startMailServer();
afterAll(() => mail.stop());
const after = 'five other words in a row';
const email = 'mailing@example.org';

describeInBrowser(
  'links in mail in a browser',
  (visit) => {
    test('a new member confirms the e-mail address with the link of the mail, once', async () => {
      const { page } = visit;
      await visit.signUp('mailing');
      await visit.go('Security');
      await page.getByText('Not verified', { exact: true }).waitFor();
      const link = linkOf(await mail.mailTo(email));
      expect(link).toMatch(new RegExp(`^${visit.stage.console.url}/verify-email#[\\w-]{43}$`));
      await page.goto(link);
      await page.getByRole('heading', { name: 'Confirm your e-mail address' }).waitFor();
      expect(page.url()).not.toContain('#');
      expect(await visit.faults()).toEqual([]);
      await page.getByRole('button', { name: 'Confirm the address' }).click();
      await page.getByText('The address mailing@example.org is confirmed.').waitFor();
      await page.getByRole('link', { name: 'Open the console' }).click();
      await visit.go('Security');
      await page.getByText('Verified', { exact: true }).waitFor();
      expect(await visit.faults()).toEqual([]);
      await page.goto(link);
      await page.getByRole('button', { name: 'Confirm the address' }).click();
      await page.getByText('The link is not valid').waitFor();
    });

    test('a forgotten password is replaced through the link of the mail, and the session ends', async () => {
      const { page, stage } = visit;
      const other = await visit.browser.newContext({ viewport: { width: 390, height: 844 } });
      const phone = await other.newPage();
      await phone.goto(`${stage.console.url}/sign-in`);
      await phone.getByRole('link', { name: 'Forgot your password?' }).click();
      await phone.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
      await type(phone.getByLabel('E-mail'), email);
      await phone.getByRole('button', { name: 'Send the link' }).click();
      await phone.getByText(`A link is on its way, if ${email} has an account.`).waitFor();
      expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      const link = linkOf(await mail.mailTo(email, 2));
      await phone.goto(link);
      await type(phone.locator('input[type=password]'), 'short');
      await phone.getByRole('button', { name: 'Set the password' }).click();
      await phone.getByText('expected 10 to 256 characters').waitFor();
      await type(phone.locator('input[type=password]'), after);
      await phone.getByRole('button', { name: 'Set the password' }).click();
      await phone.getByText(`The password of ${email} is changed`).waitFor();
      await phone.getByRole('link', { name: 'Sign in' }).click();
      await type(phone.getByLabel('E-mail'), email);
      await type(phone.locator('input[type=password]'), after);
      await phone.getByRole('button', { name: 'Sign in' }).click();
      await phone.getByRole('heading', { name: 'Overview' }).waitFor();
      await phone.goto(link);
      await type(phone.locator('input[type=password]'), password);
      await phone.getByRole('button', { name: 'Set the password' }).click();
      await phone.getByText('The link is not valid').waitFor();
      await phone.getByRole('link', { name: 'Request a new link' }).waitFor();
      await other.close();
      await page.goto(stage.console.url);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    test('an unknown address gets the same answer and no mail, and a fourth mail is refused', async () => {
      const visitor = new Visitor(visit.stage.console.url);
      const count = mail.mails.length;
      for (const allowed of [true, true, true, false])
        expect(await visitor.ask('POST', 'password-reset', { email: 'nobody@example.org' })).toMatchObject(
          allowed ? { status: 200, body: {} } : { status: 429, body: { error: { code: 'MAILS_PAUSED' } } },
        );
      // The next mail arrives after the others would have.
      await visitor.signUp('last', password);
      await mail.mailTo('last@example.org');
      expect(mail.mails).toHaveLength(count + 1);
    });

    test('no log contains a token or the password of the mail server', () => {
      const log = visit.stage.console.text();
      expect(log).toContain('password-reset');
      for (const one of mail.mails) expect(log).not.toContain(linkOf(one).split('#')[1]);
      expect(log).not.toContain('mail-canary');
    });
  },
  { CAIRN_SMTP_URL: mail.url, CAIRN_MAIL_FROM: 'Cairn <no-reply@example.org>' },
);
