import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signWebhook } from '@cairn/pinning';
import { afterAll, expect, test } from '@jest/globals';
import { describeInBrowser } from './browser.ts';
import { linkOf, startMailServer } from './mail-server.ts';

const mail = await startMailServer();
const received: { readonly headers: Record<string, string>; readonly body: string }[] = [];
const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(parts).toString() });
  response.end();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
afterAll(async () => {
  receiver.close();
  await mail.stop();
});

describeInBrowser(
  'usage alerts in a browser',
  (visit) => {
    test('a reached threshold is reported by mail and signed webhook, once', async () => {
      const { page, stage } = visit;
      await visit.signUp('spender');
      await page.goto(linkOf(await mail.mailTo('spender@example.org')));
      await page.getByRole('button', { name: 'Confirm the address' }).click();
      await page.getByText('is confirmed.').waitFor();
      await stage.auth.attachCard('spender', { brand: 'visa', last4: '4242' });
      await page.goto(`${stage.console.url}/files/settings`);
      await page.getByRole('textbox', { name: 'URL' }).fill(hook);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const secret = (await page.getByLabel('Code for the secret of the webhook').textContent()) ?? '';
      await page.goto(`${stage.console.url}/usage/alerts`);
      await page.getByText('a verified address: 1 now.').waitFor();
      await page.getByRole('checkbox', { name: '50 %' }).click();
      await page.getByRole('checkbox', { name: '80 %' }).click();
      await page.getByRole('switch', { name: 'Signed webhook' }).click();
      expect(await visit.faults()).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The alerts are saved.').waitFor();
      await stage.auth.setQuota('spender', 1000);
      const { key, secret: keySecret } = await stage.auth.createKey('spender', { name: 'adder' });
      const authorization = `Basic ${Buffer.from(`${key.id}:${keySecret}`).toString('base64')}`;
      const add = async (content: string) => {
        const body = new FormData();
        body.append('file', new Blob([content]), 'a.txt');
        const added = await fetch(`${stage.storage.url}/api/v0/add`, {
          method: 'POST',
          headers: { authorization },
          body,
        });
        expect(added.status).toBe(200);
      };
      await add('x'.repeat(600));
      const alert = await mail.mailTo('spender@example.org', 2);
      expect(alert.subject).toBe('spender: 50 % of the stored bytes');
      while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      const [{ headers, body: message } = { headers: {} as Record<string, string>, body: '' }] = received;
      const time = Number(headers['webhook-timestamp']) * 1000;
      const signed = signWebhook({ id: headers['webhook-id'] ?? '', time, body: message }, [secret]);
      expect(headers).toMatchObject(signed);
      expect(JSON.parse(message)).toMatchObject({
        type: 'usage.threshold',
        data: { limit: 'storedBytes', threshold: 50, maximum: 1000 },
      });
      // The next alert comes from a later check, which does not repeat the first one.
      await add('y'.repeat(250));
      expect((await mail.mailTo('spender@example.org', 3)).subject).toBe('spender: 80 % of the stored bytes');
      while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(received.slice(1).map(({ body }) => JSON.parse(body))).toMatchObject([{ data: { threshold: 80 } }]);
      expect(mail.mails.length).toBe(3);
    });
  },
  { CAIRN_SMTP_URL: mail.url, CAIRN_MAIL_FROM: 'Cairn <no-reply@example.org>', CAIRN_ALERT_SECONDS: '1' },
  { STORAGE_WEBHOOK_PRIVATE: 'yes' },
);
