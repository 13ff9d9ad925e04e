import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  Auth,
  hasValidChecksum,
  keyIdPattern,
  openLmdbAccountStore,
  parseBasicCredentials,
  parseBearerCredentials,
  requireGrant,
  secretPattern,
} from './index.ts';
import { recentMs } from './recent-principals.ts';

import { createStoredSecret, keyReference, secretMatches } from './tokens.ts';

const directories: string[] = [];
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-accounts-'));
  directories.push(directory);
  return directory;
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describe('Auth', () => {
  let auth: Auth;
  let directory: string;
  let clock = 1000;
  beforeEach(async () => {
    directory = temporaryDirectory();
    clock = 1000;
    auth = new Auth({ store: await openLmdbAccountStore({ directory }), now: () => clock });
    await auth.createAccount({ name: 'alice' });
  });

  test('a service token proves a service to one other service for a minute', async () => {
    const invalid = { code: 'CREDENTIALS_INVALID' };
    const token = await auth.serviceToken('ipfs-peer');
    await auth.requireServiceToken(token, 'ipfs-peer');
    await expect(auth.requireServiceToken(token, 'storage-api')).rejects.toMatchObject(invalid);
    await expect(auth.requireServiceToken(`${token.slice(0, -1)}_`, 'ipfs-peer')).rejects.toMatchObject(invalid);
    await expect(auth.requireServiceToken('', 'ipfs-peer')).rejects.toMatchObject(invalid);
    await expect(auth.requireServiceToken(`${token}${'a'.repeat(300)}`, 'ipfs-peer')).rejects.toMatchObject(invalid);
    await expect(auth.identify(token)).rejects.toMatchObject(invalid);
    const { id } = await auth.account('alice');
    await expect(auth.requireServiceToken(await auth.delegation(id), id)).rejects.toMatchObject(invalid);
    clock += 60_000;
    await expect(auth.requireServiceToken(token, 'ipfs-peer')).rejects.toMatchObject(invalid);
    // A token that was signed while the clock was ahead would stay valid until that time.
    clock += 10 * 60_000;
    const early = await auth.serviceToken('ipfs-peer');
    clock -= 10 * 60_000;
    await expect(auth.requireServiceToken(early, 'ipfs-peer')).rejects.toMatchObject(invalid);
    await expect(auth.serviceToken('a.b')).rejects.toThrow('is not a service name');
  });

  test('a key expires at its time, and its policy can be changed', async () => {
    let now = 1_000;
    const clocked = new Auth({
      store: await openLmdbAccountStore({ directory: temporaryDirectory() }),
      now: () => now,
    });
    await clocked.createAccount({ name: 'alice' });
    const policy = { networks: ['sample'], storage: ['read'] as const };
    const { key, secret } = await clocked.createKey('alice', { policy, expiresAt: 2_000 });
    expect((await clocked.identify(key.id)).key.policy).toEqual(policy);
    await expect(clocked.createKey('alice', { expiresAt: 1_000 })).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    await expect(clocked.createKey('alice', { policy: { networks: ['A B'] } })).rejects.toMatchObject({
      details: { field: 'networks' },
    });
    now = 2_000;
    await expect(clocked.identify(key.id)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    await expect(clocked.authenticate({ keyId: key.id, secret })).rejects.toMatchObject({
      code: 'CREDENTIALS_INVALID',
    });
    const limited = await clocked.limitKey(key.id, { policy: {}, expiresAt: 3_000 });
    expect(limited).toMatchObject({ policy: {}, expiresAt: 3_000, secrets: [{ hash: key.secrets[0]?.hash }] });
    expect((await clocked.identify(key.id)).key.policy).toEqual({});
    await clocked.revokeKey(key.id);
    await expect(clocked.limitKey(key.id, { policy: {} })).rejects.toMatchObject({ code: 'KEY_REVOKED' });
    await clocked.close();
  });

  test('a key that was stored before the scope "send" existed does not have it until limitKey grants it', async () => {
    const store = await openLmdbAccountStore({ directory });
    const { id: accountId } = await auth.account('alice');
    // Records as version 0.1 wrote them.
    const old = { accountId, name: 'old', createdAt: 1, secrets: [createStoredSecret('s')], revokedAt: undefined };
    const entry = { at: 1, actor: { who: 'test', from: 'here' }, action: 'planted', accountId };
    await store.insertKey({ ...old, id: 'open' }, entry);
    await store.insertKey({ ...old, id: 'limited', policy: { methods: ['eth_*'] } }, entry);
    await store.close();
    for (const id of ['open', 'limited']) {
      const { policy } = (await auth.identify(id)).key;
      expect(() => requireGrant(policy, 'send')).toThrow(expect.objectContaining({ code: 'KEY_SCOPE_MISSING' }));
    }
    await auth.limitKey('open', { policy: { grants: ['send'] } });
    clock += recentMs;
    requireGrant((await auth.identify('open')).key.policy, 'send');
    const { key } = await auth.createKey('alice');
    expect(() => requireGrant(key.policy ?? {}, 'send')).toThrow(
      expect.objectContaining({ code: 'KEY_SCOPE_MISSING' }),
    );
  });

  test('the audit log has actor and change of each call, and no secret', async () => {
    const operator = auth.as({ who: 'operator', from: 'cairn key create' });
    const { id } = await operator.createAccount({ name: 'audited' });
    const { key, secret } = await operator.createKey('audited', { policy: { methods: ['eth_call'] } });
    await auth.revokeKey(key.id);
    const entries = [];
    for await (const entry of auth.auditEntries('audited')) entries.push(entry);
    expect(entries).toMatchObject([
      { action: 'key.revoke', accountId: id, keyId: key.id, actor: { who: 'system' } },
      { action: 'key.create', keyId: key.id, actor: { who: 'operator', from: 'cairn key create' } },
      { action: 'account.create', accountId: id, change: { name: 'audited', plan: 'free' } },
    ]);
    expect(entries[1]?.change).toMatchObject({ policy: { methods: ['eth_call'] } });
    for (const hidden of [secret, key.secrets[0]?.hash ?? '', key.secrets[0]?.salt ?? ''])
      expect(JSON.stringify(entries)).not.toContain(hidden);
  });

  test('recent returns an identified principal for 100 ms only', async () => {
    const { id } = await auth.createAccount({ name: 'recent' });
    const { key } = await auth.createKey('recent');
    expect(auth.recent(key.id)).toBeUndefined();
    await auth.identify(key.id);
    expect(auth.recent(key.id)?.account.id).toBe(id);
    await auth.revokeKey(key.id);
    await new Promise((resolve) => setTimeout(resolve, recentMs + 20));
    expect(auth.recent(key.id)).toBeUndefined();
    await expect(auth.identify(key.id)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    expect(auth.recent(key.id)).toBeUndefined();
  });

  test('a key and its secret authenticate; every other combination gets the same error', async () => {
    const { key, secret } = await auth.createKey('alice');
    expect((await auth.authenticate({ keyId: key.id, secret })).account.name).toBe('alice');
    expect((await auth.identify(key.id)).key).toEqual({
      id: key.id,
      name: 'default',
      policy: {},
      reference: keyReference(key.id),
    });
    expect(key.id).not.toContain(keyReference(key.id).slice(4));
    const wrong = [
      { keyId: key.id, secret: `${secret}x` },
      { keyId: key.id, secret: '' },
      { keyId: 'unknown', secret },
      { keyId: '', secret: '' },
    ];
    const errors = await Promise.all(
      wrong.map((credentials) => auth.authenticate(credentials).catch((error) => error)),
    );
    expect(new Set(errors.map((error) => `${error.code} ${error.message} ${error.hint}`)).size).toBe(1);
    expect(errors[0]).toMatchObject({ code: 'CREDENTIALS_INVALID' });
  });

  test('suspending, revoking and removing the card apply to the next request in another process', async () => {
    const { key, secret } = await auth.createKey('alice');
    const other = new Auth({ store: await openLmdbAccountStore({ directory }) });
    const principal = await other.authenticate({ keyId: key.id, secret });
    expect(() => other.requireCard(principal)).toThrow(
      expect.objectContaining({
        code: 'BILLING_CARD_REQUIRED',
        hint: 'Attach a card under Billing in the console, or ask the operator of this service.',
      }),
    );
    await auth.attachCard('alice', { brand: 'visa', last4: '4242' });
    expect(() => other.requireCard(principal)).toThrow();
    other.requireCard(await other.authenticate({ keyId: key.id, secret }));
    await auth.setStatus('alice', 'suspended');
    await expect(other.identify(key.id)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await auth.setStatus('alice', 'active');
    await auth.removeCard('alice');
    expect((await other.identify(key.id)).account.card).toBeUndefined();
    await auth.revokeKey(key.id);
    await expect(other.authenticate({ keyId: key.id, secret })).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    await expect(other.rotateKey(key.id)).rejects.toMatchObject({ code: 'KEY_REVOKED' });
    await other.close();
  });

  test('setQuota sets a quota and removes it', async () => {
    await auth.createAccount({ name: 'with quota' });
    expect((await auth.setQuota('with quota', 5)).quotaBytes).toBe(5);
    expect((await auth.setQuota('with quota', undefined)).quotaBytes).toBeUndefined();
    await expect(auth.setQuota('with quota', -1)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
  });

  test('setServing lets peers fetch pinned blocks and refuses them again, with an audit entry for each change', async () => {
    const { id } = await auth.createAccount({ name: 'public' });
    expect((await auth.account('public')).servesPeers).toBeUndefined();
    await auth.setServing('public', false);
    expect((await auth.setServing('public', true)).servesPeers).toBe(true);
    expect((await auth.setServing('public', false)).servesPeers).toBe(false);
    const actions: string[] = [];
    for await (const { action } of auth.auditEntries(id)) actions.push(action);
    expect(actions).toEqual(['account.serve', 'account.serve', 'account.create']);
  });

  test('rotateKey keeps the old secret valid for graceMs only', async () => {
    const first = await auth.createKey('alice');
    const second = await auth.rotateKey(first.key.id, { graceMs: 500 });
    const isValid = (secret: string) =>
      auth.authenticate({ keyId: first.key.id, secret }).then(
        () => true,
        () => false,
      );
    expect([await isValid(first.secret), await isValid(second.secret)]).toEqual([true, true]);
    clock += 501;
    expect([await isValid(first.secret), await isValid(second.secret)]).toEqual([false, true]);
    const third = await auth.rotateKey(first.key.id, { graceMs: 0 });
    expect([await isValid(second.secret), await isValid(third.secret)]).toEqual([false, true]);
    expect((await auth.keys('alice'))[0]?.secrets).toHaveLength(1);
  });

  test('the files of the store contain no secret', async () => {
    const { secret } = await auth.createKey('alice', { id: 'fixed', secret: 'planted-canary-secret' });
    await auth.close();
    expect(readFileSync(join(directory, 'data.mdb')).includes(secret)).toBe(false);
    expect(readFileSync(join(directory, 'data.mdb')).includes('fixed')).toBe(true);
  });

  test.each([
    ['name', () => auth.createAccount({ name: '' })],
    ['name', () => auth.createAccount({ name: '-x' })],
    ['plan', () => auth.createAccount({ name: 'b', plan: 'Free!' })],
    ['email', () => auth.createAccount({ name: 'b', email: 'nobody' })],
    ['last4', () => auth.attachCard('alice', { brand: 'visa', last4: '42' })],
    ['brand', () => auth.attachCard('alice', { brand: '', last4: '4242' })],
    ['last4', () => auth.attachCard('alice', { brand: 'visa', last4: 4242 as never })],
    ['status', () => auth.setStatus('alice', 'suspend' as never)],
    ['quota', () => auth.setQuota('alice', '5' as never)],
    ['quota', () => auth.setQuota('alice', 1.5)],
    ['quota', () => auth.setQuota('alice', 10n as never)],
    ['graceMs', () => auth.rotateKey('fixed', { graceMs: '5' as never })],
    ['graceMs', () => auth.rotateKey('fixed', { graceMs: Number.NaN })],
    ['graceMs', () => auth.rotateKey('fixed', { graceMs: -1 })],
    ['graceMs', () => auth.rotateKey('fixed', { graceMs: Number.POSITIVE_INFINITY })],
    ['name', () => auth.createAccount({ name: undefined as never })],
    ['email', () => auth.createAccount({ name: 'b', email: 5 as never })],
    ['key id', () => auth.createKey('alice', { id: 'a/b' })],
    ['secret', () => auth.createKey('alice', { secret: 'with space' })],
  ])('an invalid %s is refused with the name of the field', async (field, call) => {
    await expect(call()).rejects.toMatchObject({
      code: 'VALUE_INVALID',
      message: expect.stringContaining(`${field}: `),
    });
  });
});

describe('secrets', () => {
  test('are always compared with two hashes, whether the first one matches or not', () => {
    const compared = (secrets: readonly string[]) => {
      let reads = 0;
      const stored = secrets.map((secret) => {
        const { hash, ...rest } = createStoredSecret(secret);
        return Object.defineProperty({ ...rest, hash }, 'hash', {
          get: () => {
            reads++;
            return hash;
          },
        });
      });
      const matches = secretMatches(stored, 'guess', 0);
      return { reads, matches };
    };
    expect(compared(['guess', 'other'])).toEqual({ reads: 2, matches: true });
    expect(compared(['other', 'guess'])).toEqual({ reads: 2, matches: true });
    expect(compared(['other', 'another'])).toEqual({ reads: 2, matches: false });
    // An unknown key is compared with two placeholders, which no secret matches.
    expect(secretMatches([], '', 0)).toBe(false);
  });

  test('generated tokens match their patterns and checksums; one changed character does not', async () => {
    const { generateKeyId, generateSecret } = await import('./index.ts');
    for (const [token, pattern] of [
      [generateKeyId(), keyIdPattern],
      [generateSecret(), secretPattern],
    ] as const) {
      expect(token).toMatch(pattern);
      expect(hasValidChecksum(token)).toBe(true);
      const at = 10;
      const other = token[at] === 'a' ? 'b' : 'a';
      expect(hasValidChecksum(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
    expect(hasValidChecksum('anything')).toBe(false);
  });
});

describe('parseBasicCredentials', () => {
  test('reads key id and secret, also with colons in the secret', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary-ascii' }).filter((id) => !id.includes(':')),
        fc.string(),
        (keyId, secret) => {
          const header = `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}`;
          expect(parseBasicCredentials(header)).toEqual({ keyId, secret: Buffer.from(secret).toString() });
        },
      ),
    );
  });

  test.each([
    undefined,
    '',
    'Bearer x',
    'Basic',
    'Basic !!!',
    `Basic ${Buffer.from('no-colon').toString('base64')}`,
    `Basic ${'A'.repeat(4000)}`,
  ])('returns undefined for %j', (header) => expect(parseBasicCredentials(header)).toBeUndefined());
});

describe('parseBearerCredentials', () => {
  const credentials = { keyId: 'key', secret: 'sec:ret' };
  test('reads KEY:SECRET, also with colons in the secret, and its Base64', () => {
    expect(parseBearerCredentials('Bearer key:sec:ret')).toEqual(credentials);
    expect(parseBearerCredentials('bearer  key:sec:ret ')).toEqual(credentials);
    expect(parseBearerCredentials(`Bearer ${Buffer.from('key:sec:ret').toString('base64')}`)).toEqual(credentials);
  });

  test.each([undefined, '', 'key:secret', 'Basic a2V5OnNlYw==', 'Bearer', 'Bearer !!!', 'Bearer a b:c', 'Bearer bm8='])(
    'returns undefined for %j',
    (header) => expect(parseBearerCredentials(header)).toBeUndefined(),
  );

  test('refuses a header of more than 2,048 characters', () => {
    expect(parseBearerCredentials(`Bearer key:${'s'.repeat(2048)}`)).toBeUndefined();
  });
});
