import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountAlerts, type AccountStore, Auth, Members, openLmdbAccountStore } from '@cairn/auth';
import { defaultPlans, type Plan } from '@cairn/metering';
import type { WebhookNotice } from '@cairn/pinning';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Mail } from '../mail/mailer.ts';
import { UsageAlerts } from './usage-alerts.ts';

const actor = { who: 'ann@example.org', from: '192.0.2.1' };
const password = 'four words in a row';
const noon = Date.UTC(2026, 0, 2, 12);
let directory: string;
let store: AccountStore;
let now: number;
let credits: number;
let storedBytes: number;
let mails: Mail[];
let notices: WebhookNotice[];
let warnings: number;
let isMailDown: boolean;
let accountId: string;
let alerts: AccountAlerts;

beforeEach(async () => {
  [now, credits, storedBytes, mails, notices, warnings, isMailDown] = [noon, 0, 0, [], [], 0, false];
  directory = mkdtempSync(join(tmpdir(), 'cairn-alerts-'));
  store = await openLmdbAccountStore({ directory });
  const auth = new Auth({ store, now: () => now });
  const members = new Members({ auth, store: store.members, now: () => now });
  const { account, member } = await members.signUp({ email: 'ann@example.org', password, accountName: 'ann', actor });
  await store.members.update(member.id, (before) => ({ ...before, emailVerifiedAt: now }));
  accountId = account.id;
  alerts = new AccountAlerts({ store, now: () => now });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const plan: Plan = { ...(defaultPlans[0] as Plan), name: 'free', creditsPerDay: 1000, storedBytes: 1000 };

/** Checks of one more process. */
async function check(): Promise<void> {
  const watch = new UsageAlerts({
    accounts: store,
    alerts,
    stores: {
      plans: { plans: async () => [plan] } as never,
      usage: {
        async *rows() {
          yield { requests: 1, credits, bytesIn: 0, bytesOut: 0, limited: 0 } as never;
        },
      } as never,
      pins: { usage: async () => ({ pins: 1, blocks: 1, bytes: storedBytes }) },
    },
    webhooks: {
      notify: async (_, notice) => {
        notices.push(notice);
        return true;
      },
    },
    mailer: {
      send: async (mail) => {
        if (isMailDown) throw new Error('the server is away');
        mails.push(mail);
      },
    },
    logger: { warn: () => void warnings++ },
    now: () => now,
  });
  await watch.check(new AbortController().signal);
}
const subjects = () => mails.map(({ subject }) => subject);

test('each threshold of a day is reported once, by mail and webhook', async () => {
  await alerts.set(accountId, { thresholds: [100, 80, 80], byMail: true, byWebhook: true }, actor);
  credits = 799;
  await check();
  expect(mails).toEqual([]);
  credits = 800;
  await check();
  await check();
  expect(subjects()).toEqual(['ann: 80 % of the credits of today']);
  expect(mails[0]?.to).toBe('ann@example.org');
  expect(mails[0]?.text).toContain('800 of 1,000');
  expect(mails[0]?.text).toContain('2026-01-03 00:00 UTC');
  expect(notices).toEqual([
    {
      type: 'usage.threshold',
      data: { limit: 'creditsPerDay', threshold: 80, used: 800, maximum: 1000, resets_at: '2026-01-03T00:00:00.000Z' },
    },
  ]);
  credits = 1200;
  await check();
  now += 86_400_000;
  await check();
  expect(subjects().slice(1)).toEqual(['ann: 100 % of the credits of today', 'ann: 100 % of the credits of today']);
});

test('concurrent checks send one alert', async () => {
  await alerts.set(accountId, { thresholds: [80], byMail: true, byWebhook: false }, actor);
  credits = 900;
  await Promise.all([check(), check(), check()]);
  expect([mails.length, notices.length]).toEqual([1, 0]);
});

test('stored bytes are reported again after they were below the threshold', async () => {
  await alerts.set(accountId, { thresholds: [90], byMail: true, byWebhook: false }, actor);
  for (const bytes of [950, 980, 500, 900]) {
    storedBytes = bytes;
    await check();
    now += 1000;
  }
  expect(subjects()).toEqual(['ann: 90 % of the stored bytes', 'ann: 90 % of the stored bytes']);
});

test('an alert that failed is sent again after five minutes', async () => {
  await alerts.set(accountId, { thresholds: [80], byMail: true, byWebhook: false }, actor);
  credits = 900;
  isMailDown = true;
  await check();
  isMailDown = false;
  await check();
  expect([mails.length, warnings]).toEqual([0, 1]);
  now += 301_000;
  await check();
  expect(mails).toHaveLength(1);
});

test('suspended accounts, accounts without alerts and unverified addresses get none', async () => {
  credits = 900;
  await check();
  await alerts.set(accountId, { thresholds: [80], byMail: true, byWebhook: false }, actor);
  const [member] = await store.members.ofAccount(accountId);
  await store.members.update(member?.id ?? '', ({ emailVerifiedAt: _, ...rest }) => rest);
  await check();
  expect([mails, warnings]).toEqual([[], 0]);
});

test.each([[[0]], [[101]], [[50.5]], [Array.from({ length: 11 }, (_, at) => at + 1)]])(
  'thresholds %j are refused',
  async (thresholds) => {
    const settings = { thresholds, byMail: true, byWebhook: false };
    await expect(alerts.set(accountId, settings, actor)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
  },
);
