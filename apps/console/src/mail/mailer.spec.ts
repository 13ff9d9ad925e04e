import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type MailServer, startMailServer } from '../../e2e/mail-server.ts';
import { Mailer, mailLimits, openMailer } from './mailer.ts';

let server: MailServer;
beforeEach(async () => {
  server = await startMailServer({ refused: 'gone@example.org' });
});
let warnings: string[];
const mailerAt = (url: string) => {
  warnings = [];
  const logger = { warn: (fields: object) => void warnings.push(JSON.stringify(fields)) };
  return new Mailer({ url, from: 'Cairn <no-reply@example.org>', logger });
};
const mail = (to: string) => async () => ({ to, subject: 'Grüße', text: `https://example.org/${'x'.repeat(200)}\n` });
afterEach(() => server.stop());

test('close waits for queued mail, which arrives with sender, subject and unbroken text', async () => {
  const mailer = mailerAt(server.url);
  mailer.post(mail('ann@example.org'));
  mailer.post(async () => undefined);
  await mailer.close();
  expect(server.mails).toHaveLength(1);
  const received = await server.mailTo('ann@example.org');
  expect([received.from?.text, received.subject]).toEqual(['"Cairn" <no-reply@example.org>', 'Grüße']);
  expect(received.text?.trim()).toBe(`https://example.org/${'x'.repeat(200)}`);
  expect(warnings).toEqual([]);
});

test('a refused mail is logged without the password, and the next one is sent', async () => {
  const mailer = mailerAt(server.url);
  mailer.post(mail('gone@example.org'));
  mailer.post(mail('ann@example.org'));
  await mailer.close();
  expect(server.mails).toHaveLength(1);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('550');
  expect(warnings[0]).not.toContain('mail-canary');
});

test('wrong credentials are logged, and no mail is sent', async () => {
  const mailer = mailerAt(server.url.replace('canary', 'wrong'));
  mailer.post(mail('ann@example.org'));
  await mailer.close();
  expect([server.mails.length, warnings.length]).toEqual([0, 1]);
});

test('a full queue refuses further mail', async () => {
  const mailer = mailerAt(server.url);
  let release = () => {};
  const gate = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  for (let index = 0; index < mailLimits.queuedMax; index++) mailer.post(() => gate);
  expect(() => mailer.post(() => gate)).toThrow(expect.objectContaining({ code: 'SERVICE_BUSY' }));
  release();
  await mailer.close();
});

test('openMailer requires a sender with a server, and opens nothing without a server', () => {
  const logger = { warn: () => {} };
  expect(openMailer({ CAIRN_SMTP_URL: undefined, CAIRN_MAIL_FROM: undefined }, logger)).toBeUndefined();
  expect(() => openMailer({ CAIRN_SMTP_URL: server.url, CAIRN_MAIL_FROM: undefined }, logger)).toThrow(
    expect.objectContaining({ code: 'SETTINGS_INVALID', message: expect.not.stringContaining('mail-canary') }),
  );
});
