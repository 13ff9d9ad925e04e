import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import { keepSecret } from './keep-secret.ts';
import { openSecrets } from './open-secrets.ts';

const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')];
let home: string;
let store: AccountStore;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cairn-shared-secrets-'));
  store = await openLmdbAccountStore({ directory: join(home, 'accounts') });
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true });
});

/** Starts a service on another machine: the same store, a home of its own. */
async function start(key: string | undefined, keyFile?: string) {
  const settings = { home: join(home, randomBytes(4).toString('hex')), key, keyFile, isShared: true };
  const { secrets } = await openSecrets(store, settings);
  return { secrets, auth: new Auth({ store, secrets }) };
}

test('services that share a store need a key from their settings, and create no key file', async () => {
  await expect(start(undefined)).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
  expect(readdirSync(home)).toEqual(['accounts']);
  const keyFile = join(home, 'mounted.key');
  writeFileSync(keyFile, `${oldKey}\n`);
  const [one, other] = [await start(undefined, keyFile), await start(oldKey)];
  await other.auth.requireServiceToken(await one.auth.serviceToken('peer'), 'peer');
});

test('a service with another key does not start', async () => {
  await start(oldKey);
  const error: unknown = await start(newKey).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'SECRETS_KEY_UNUSABLE',
    message: expect.stringMatching(/^The services of this database use/),
  });
  expect(JSON.stringify([error, String(error)])).not.toContain(newKey);
  await start(oldKey);
});

test('a key is replaced while services accept the tokens of each other', async () => {
  const keys = [oldKey, `${oldKey},${newKey}`, `${newKey},${oldKey}`, newKey];
  let before = await start(keys[0]);
  for (const key of keys.slice(1)) {
    const after = await start(key);
    // The process before the first step does not have the new key yet, and none signs with it.
    for (const [from, to] of [
      [before, after],
      [after, before],
    ] as const)
      await to.auth.requireServiceToken(await from.auth.serviceToken('peer'), 'peer');
    before = after;
  }
  await expect(start(oldKey)).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
});

test('a kept secret is created once, stored sealed, and sealed again with a new key', async () => {
  let created = 0;
  const name = 'identity';
  const create = () => `private ${++created}`;
  const { secrets } = await start(`${oldKey},${newKey}`);
  const kept = await Promise.all([1, 2, 3].map(() => keepSecret(store, secrets, { name, create })));
  expect(kept).toEqual(['private 1', 'private 1', 'private 1']);
  const stored = () => store.changeSharedText('secret identity', (text = '') => text);
  expect(await stored()).not.toContain('private');
  const rotated = await start(`${newKey},${oldKey}`);
  expect(await keepSecret(store, rotated.secrets, { name, create })).toBe('private 1');
  expect((await stored()).split('.')[1]).toBe(rotated.secrets.keyId);
  expect(await keepSecret(store, (await start(newKey)).secrets, { name, create })).toBe('private 1');
});
