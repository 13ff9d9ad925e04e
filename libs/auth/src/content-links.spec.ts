import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Auth } from './auth.ts';
import { openLmdbGatewayHostStore, parseGatewayHost } from './gateway-hosts.ts';
import { openLmdbAccountStore } from './lmdb-account-store.ts';
import { keyReference } from './tokens.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-links-'));
let now = 1_800_000_000_000;
let auth: Auth;
beforeAll(async () => {
  auth = new Auth({ store: await openLmdbAccountStore({ directory }), now: () => now });
  await auth.createAccount({ name: 'ann' });
  for (const id of ['one', 'two', 'short']) await auth.createKey('ann', { id });
  await auth.limitKey('short', { expiresAt: now + 10_000 });
});
afterAll(async () => {
  await auth.close();
  rmSync(directory, { recursive: true });
});

const sign = (key = 'one', path = '/ipfs/bafy/a') => auth.signContentLink(key, { path, expiresAt: now + 60_000 });
const invalid = { code: 'LINK_INVALID' };

describe('content links', () => {
  test('a link has its path and key, and not the id of the key', async () => {
    const link = await sign();
    const { principal, path } = await auth.verifyContentLink(link);
    expect([principal.account.name, principal.key.id, path]).toEqual(['ann', 'one', '/ipfs/bafy/a']);
    const [, body = ''] = link.split('.');
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).not.toContain('one');
    expect(Buffer.from(body, 'base64url').toString()).toContain(keyReference('one'));
  });

  test('every changed character makes a link invalid', async () => {
    const link = await sign();
    await fc.assert(
      fc.asyncProperty(fc.nat(link.length - 1), fc.constantFrom('', 'A', 'b', '.', '-', '%'), async (at, sign) => {
        const changed = link.slice(0, at) + sign + link.slice(at + 1);
        fc.pre(changed !== link);
        await expect(auth.verifyContentLink(changed)).rejects.toMatchObject(invalid);
      }),
    );
  });

  test.each(['', '.', '..', '1..', '1.e30.', 'x'.repeat(100_000), '1.a.b.c'])('%j is no link', async (text) => {
    await expect(auth.verifyContentLink(text.slice(0, 100_000))).rejects.toMatchObject(invalid);
  });

  test('the signature of one link does not fit another', async () => {
    const [one, two] = [await sign('one', '/ipfs/a/x'), await sign('one', '/ipfs/a/y')];
    const mixed = [...one.split('.').slice(0, 2), two.split('.')[2]].join('.');
    await expect(auth.verifyContentLink(mixed)).rejects.toMatchObject(invalid);
  });

  test('a link ends with its time, with its key, and with the account', async () => {
    const [links, short] = [[await sign(), await sign('two')], await sign('short')];
    now += 11_000;
    await expect(auth.verifyContentLink(short)).rejects.toMatchObject(invalid);
    await auth.verifyContentLink(links[1] ?? '');
    await auth.revokeKey('two');
    await expect(auth.verifyContentLink(links[1] ?? '')).rejects.toMatchObject(invalid);
    await auth.changeAccount('ann', { status: 'suspended' });
    await expect(auth.verifyContentLink(links[0] ?? '')).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await auth.changeAccount('ann', { status: 'active' });
    now += 60_000;
    await expect(auth.verifyContentLink(links[0] ?? '')).rejects.toMatchObject(invalid);
  });

  test.each([
    ['none', '/ipfs/a', 1000, 'KEY_NOT_FOUND'],
    ['one', '/ipfs/', 1000, 'VALUE_INVALID'],
    ['one', '/x/y', 1000, 'VALUE_INVALID'],
    ['one', '/ipfs/a/../b', 1000, 'VALUE_INVALID'],
    ['one', '/ipns/./a', 1000, 'VALUE_INVALID'],
    ['one', `/ipfs/${'a'.repeat(3000)}`, 1000, 'VALUE_INVALID'],
    ['one', '/ipfs/a', 0, 'VALUE_INVALID'],
    ['one', '/ipfs/a', 400 * 24 * 3_600_000, 'VALUE_INVALID'],
  ])('no link of the key %s for %s and %i ms', async (key, path, ms, code) => {
    await expect(auth.signContentLink(key, { path, expiresAt: now + ms })).rejects.toMatchObject({ code });
  });
});

describe('dedicated hosts', () => {
  test('a host belongs to one account, and changes are seen by another process', async () => {
    const [store, other] = [
      await openLmdbGatewayHostStore({ directory }),
      await openLmdbGatewayHostStore({ directory }),
    ];
    const entry = { host: 'Files.Example.', accountId: 'a', createdAt: 1 };
    await store.put(entry);
    expect(await other.list()).toEqual([{ ...entry, host: 'files.example' }]);
    await expect(other.put({ ...entry, accountId: 'b' })).rejects.toMatchObject({ code: 'GATEWAY_HOST_EXISTS' });
    await other.remove('files.example');
    expect(await store.list()).toEqual([]);
    await expect(store.remove('files.example')).rejects.toMatchObject({ code: 'GATEWAY_HOST_NOT_FOUND' });
    await Promise.all([store.close(), other.close()]);
  });

  test.each([
    '',
    'a b',
    'http://x.example',
    'x.example:80',
    '10.0.0.1',
    'a..b',
    '-a.example',
    'bafy.ipfs.x.example',
    'ipns.x',
    'localhost',
    'LOCALHOST.',
    'files.1',
    '0x7f.1',
    '0x7f000001',
    'xn--a.example',
  ])('%j is no host name', (text) =>
    expect(() => parseGatewayHost(text)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' })),
  );
});
