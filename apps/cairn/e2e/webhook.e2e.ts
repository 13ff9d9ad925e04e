// The webhook of an account from the command: the rules of /psa/webhook, and secrets that survive rotations of the key.
import { join } from 'node:path';
import { Auth, openLmdbAccountStore, openSecrets } from '@cairn/auth';
import { AccountWebhooks, openLmdbPinRequestStore } from '@cairn/pinning';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Cairn } from './cairn.ts';

interface Webhook {
  readonly url: string;
  readonly waiting: number;
  readonly secret?: string;
}

const cairn = new Cairn();
const url = 'https://service.example/hook';
const webhook = (...args: readonly string[]) => cairn.json<Webhook>('account', 'webhook', ...args);

beforeAll(async () => {
  await cairn.json('account', 'create', 'ann');
});
afterAll(() => cairn.remove());

/** Returns the secrets that sign for an account now. */
async function signingSecrets(): Promise<readonly string[]> {
  const accounts = await openLmdbAccountStore({ directory: join(cairn.home, 'accounts') });
  const requests = await openLmdbPinRequestStore({ directory: join(cairn.home, 'pins') });
  try {
    const { id } = await new Auth({ store: accounts }).account('ann');
    const { secrets: seals } = await openSecrets(accounts, { home: cairn.home });
    const stored = await requests.webhooks.get(id);
    const rules = { store: requests.webhooks, seals, allowsPrivate: false, isPublicAddress: () => true };
    return stored === undefined ? [] : new AccountWebhooks(rules).secretsOf(id, stored);
  } finally {
    await requests.close();
    await accounts.close();
  }
}

test('an account without a webhook has nothing to show, rotate or remove', async () => {
  for (const verb of ['show', 'rotate', 'remove']) {
    const { code, stderr } = await cairn.run('account', 'webhook', verb, 'ann');
    expect([verb, code, stderr]).toEqual([verb, 4, expect.stringContaining('The account has no webhook.')]);
  }
});

test.each([
  ['http://service.example/hook', 'the scheme http:'],
  ['https://127.0.0.1/hook', 'names the address 127.0.0.1, which is not public'],
  ['https://[::ffff:169.254.169.254]/latest', 'which is not public'],
  ['https://user:word@service.example/hook', 'has a user name or a password'],
  [`https://service.example/${'x'.repeat(2048)}`, 'no URL of at most 2048 characters'],
  ['hook', 'no URL of at most 2048 characters'],
])('set refuses %.40s', async (target, reason) => {
  const { code, stderr } = await cairn.run('account', 'webhook', 'set', 'ann', target);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

test('STORAGE_WEBHOOK_PRIVATE=yes permits private addresses, as in the service', async () => {
  process.env.STORAGE_WEBHOOK_PRIVATE = 'yes';
  try {
    expect(await webhook('set', 'ann', 'http://127.0.0.1:1/hook')).toMatchObject({ url: 'http://127.0.0.1:1/hook' });
  } finally {
    delete process.env.STORAGE_WEBHOOK_PRIVATE;
  }
  await cairn.json('account', 'webhook', 'remove', 'ann');
});

test('set prints the secret once, rotate keeps the previous one for a day, and remove ends both', async () => {
  const { secret: first } = await webhook('set', 'ann', url);
  expect(await webhook('show', 'ann')).toEqual({ url, createdAt: expect.any(Number), waiting: 0 });
  const { secret: second } = await webhook('rotate', 'ann');
  expect(await signingSecrets()).toEqual([second, first]);

  expect(await cairn.json('secrets', 'status')).toEqual({ sealed: 2, stale: 0, lost: {} });
  // The key file keeps the previous key until the next rotation.
  for (let turn = 0; turn < 3; turn++) expect(await cairn.json('secrets', 'rotate')).toMatchObject({ resealed: 2 });
  expect(await signingSecrets()).toEqual([second, first]);

  await cairn.json('account', 'webhook', 'remove', 'ann');
  expect(await signingSecrets()).toEqual([]);
});
