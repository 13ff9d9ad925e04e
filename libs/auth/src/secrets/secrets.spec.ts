import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Secret, TOTP } from 'otpauth';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import type { Member } from '../members/member.ts';
import { Members } from '../members/members.ts';
import { openSecrets, resealSecrets, rotateSecrets, secretsOf } from './open-secrets.ts';
import { isSealed, SecretBox } from './secret-box.ts';
import { parseSecretKeys } from './secret-key.ts';

const actor = { who: 'visitor', from: '192.0.2.1' };
const password = 'four words in a row';
const client = { address: '192.0.2.1' };
const newKey = () => randomBytes(32).toString('base64');
let home: string;
let keyFile: string;
let store: AccountStore;
let auth: Auth;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 2);
  home = mkdtempSync(join(tmpdir(), 'cairn-secrets-'));
  keyFile = join(home, 'secrets.key');
  store = await openLmdbAccountStore({ directory: join(home, 'accounts') });
  auth = new Auth({ store, now: () => now });
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true });
});

const membersWith = (secrets?: SecretBox) =>
  new Members({ auth, store: store.members, now: () => now, ...(secrets && { secrets }) });

/** Signs up a member with a second factor, and returns a function that generates its next code. */
async function enroll(members: Members, name = 'ann'): Promise<() => string> {
  const email = `${name}@example.org`;
  const { member } = await members.signUp({ email, password, accountName: name, actor });
  const { secret } = await members.beginTotp(member);
  const next = () => {
    now += 30_000;
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
  };
  await members.confirmTotp(member, next(), actor);
  return next;
}

const signIn = (members: Members, code: string, name = 'ann') =>
  members.signIn({ email: `${name}@example.org`, password, code }, client);
const storedSecret = async (name = 'ann') =>
  (await membersWith().byEmail(`${name}@example.org`)).totp?.secret ?? 'no second factor';

describe('a home without a key file', () => {
  test('gets one with mode 0600, and every second factor is sealed', async () => {
    const { secrets, problem } = await openSecrets(store, { home });
    expect(problem).toBeUndefined();
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(home).sort()).toEqual(['accounts', 'secrets.key']);
    const members = membersWith(secrets);
    const code = await enroll(members);
    expect(isSealed(await storedSecret())).toBe(true);
    await signIn(members, code());
  });

  test('has its unsealed second factors sealed once', async () => {
    const codes = [await enroll(membersWith()), await enroll(membersWith(), 'bob')];
    const clear = await storedSecret();
    expect(clear).toMatch(/^[A-Z2-7]{32}$/);
    const { secrets, resealed } = await openSecrets(store, { home });
    expect(resealed).toBe(2);
    const sealed = await storedSecret();
    expect([isSealed(sealed), sealed.includes(clear)]).toEqual([true, false]);
    expect((await openSecrets(store, { home })).resealed).toBe(0);
    expect(await storedSecret()).toBe(sealed);
    await signIn(membersWith(secrets), codes[0]?.() ?? '');
    await signIn(membersWith(secrets), codes[1]?.() ?? '', 'bob');
  });

  test('gets one key when several processes start concurrently', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSecrets(store, { home })));
    expect(new Set(opened.map(({ secrets }) => secrets.keyId)).size).toBe(1);
  });
});

describe('a missing or replaced key', () => {
  test.each([
    ['missing', () => rmSync(keyFile)],
    ['replaced', () => writeFileSync(keyFile, newKey())],
  ])('%s: start and sign-in report an error, no key is created, nothing changes', async (_, harm) => {
    const first = await openSecrets(store, { home });
    const code = await enroll(membersWith(first.secrets));
    await membersWith(first.secrets).signUp({ email: 'bob@example.org', password, accountName: 'bob', actor });
    const [sealed, file] = [await storedSecret(), readFileSync(keyFile)];
    harm();
    const hadFile = existsSync(keyFile);
    const { secrets, problem } = await openSecrets(store, { home });
    expect(problem).toMatchObject({
      code: 'SECRETS_KEY_UNUSABLE',
      message: expect.stringContaining('1 second factors'),
    });
    expect(problem?.hint).toContain('reset-totp');
    expect(existsSync(keyFile)).toBe(hadFile);
    for (const members of [membersWith(secrets), membersWith(first.secrets), membersWith()])
      await expect(signIn(members, code())).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
    await membersWith(secrets).signIn({ email: 'bob@example.org', password }, client);
    expect(await storedSecret()).toBe(sealed);
    await expect(rotateSecrets(store, { home })).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
    expect(Object.values((await secretsOf(store, { home })).lost)).toEqual([1]);

    writeFileSync(keyFile, file);
    await signIn(membersWith((await openSecrets(store, { home })).secrets), code());
  });

  test('a member whose second factor was reset can sign in, and a new key is created', async () => {
    const { secrets } = await openSecrets(store, { home });
    await enroll(membersWith(secrets));
    rmSync(keyFile);
    const members = membersWith();
    await members.removeTotp(await members.byEmail('ann@example.org'), undefined, actor);
    const { problem } = await openSecrets(store, { home });
    expect([problem, existsSync(keyFile)]).toEqual([undefined, true]);
    await members.signIn({ email: 'ann@example.org', password }, client);
  });

  test('without the key no delegation can be created or used', async () => {
    const { account } = await membersWith().signUp({ email: 'ann@example.org', password, accountName: 'ann', actor });
    const { secrets } = await openSecrets(store, { home });
    const sealedAuth = new Auth({ store, secrets, now: () => now });
    const delegation = await sealedAuth.delegation(account.id);
    expect((await sealedAuth.identify(delegation)).account.name).toBe('ann');
    // A copy of the store alone no longer suffices to forge a delegation.
    await expect(auth.identify(delegation)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    await expect(sealedAuth.identify(await auth.delegation(account.id))).rejects.toMatchObject({
      code: 'CREDENTIALS_INVALID',
    });
    rmSync(keyFile);
    await expect(sealedAuth.delegation(account.id)).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
    await expect(sealedAuth.identify(delegation)).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
  });
});

describe('rotation', () => {
  test('seals all secrets with a new key, which running services reload', async () => {
    const { secrets } = await openSecrets(store, { home });
    const before = secrets.keyId;
    const members = membersWith(secrets);
    const code = await enroll(members);
    const inFlight = secrets.seal('sealed while the key changes', 'here');
    const { keyId, resealed } = await rotateSecrets(store, { home });
    expect([resealed, secrets.keyId, keyId === before]).toEqual([1, keyId, false]);
    expect(await storedSecret()).toContain(keyId);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    await signIn(members, code());
    expect(secrets.open(inFlight, 'here')).toBe('sealed while the key changes');
    await rotateSecrets(store, { home });
    expect(() => secrets.open(inFlight, 'here')).toThrow(expect.objectContaining({ code: 'SECRETS_KEY_UNUSABLE' }));
    await signIn(members, code());
    expect(readdirSync(home).sort()).toEqual(['accounts', 'secrets.key']);
  });

  test('interrupted before sealing is completed by the next start', async () => {
    const old = newKey();
    writeFileSync(keyFile, old, { mode: 0o600 });
    const code = await enroll(membersWith((await openSecrets(store, { home })).secrets));
    writeFileSync(keyFile, `${newKey()}\n${old}\n`);
    const { secrets, resealed } = await openSecrets(store, { home });
    expect(resealed).toBe(1);
    await signIn(membersWith(secrets), code());
  });

  test('of a key in the settings takes a list of new and old key', async () => {
    const [old, key] = [newKey(), newKey()];
    const code = await enroll(membersWith((await openSecrets(store, { home, key: old })).secrets));
    expect(existsSync(keyFile)).toBe(false);
    await expect(rotateSecrets(store, { home, key: old })).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
    expect((await openSecrets(store, { home, key: `${key},${old}` })).resealed).toBe(1);
    const { secrets, problem } = await openSecrets(store, { home, key });
    expect(problem).toBeUndefined();
    await signIn(membersWith(secrets), code());
  });
});

describe('a sealed secret', () => {
  test('opens only in its own place, not for another member', async () => {
    const { secrets } = await openSecrets(store, { home });
    await enroll(membersWith(secrets));
    const code = await enroll(membersWith(secrets), 'bob');
    const stolen = await storedSecret('bob');
    const ann = await membersWith().byEmail('ann@example.org');
    const plant = (member: Member): Member => ({
      ...member,
      totp: { secret: stolen, isConfirmed: true, lastCounter: 0 },
    });
    await store.members.update(ann.id, plant);
    await expect(signIn(membersWith(secrets), code())).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
  });

  test('opens to the original text, has a new nonce each time, and does not open with a changed bit', () => {
    const otherBox = new SecretBox(() => parseSecretKeys(newKey(), 'here'));
    const fixed = parseSecretKeys(newKey(), 'here');
    const sealing = new SecretBox(() => fixed);
    fc.assert(
      fc.property(fc.string(), fc.nat(), (text, at) => {
        const sealed = sealing.seal(text, 'place');
        expect(sealing.open(sealed, 'place')).toBe(text);
        expect(sealing.seal(text, 'place')).not.toBe(sealed);
        expect(() => sealing.open(sealed, 'other')).toThrow('changed or moved');
        expect(() => otherBox.open(sealed, 'place')).toThrow('is missing');
        const [version, id, body = ''] = sealed.split('.');
        const bytes = Buffer.from(body, 'base64url');
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ 1;
        expect(() => sealing.open(`${version}.${id}.${bytes.toString('base64url')}`, 'place')).toThrow(
          'changed or moved',
        );
        expect(() => sealing.open(`${version}.${id}.${body.slice(0, at % 20)}`, 'place')).toThrow('changed or moved');
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  ['', 'has 0 keys'],
  ['short', 'is not a key'],
  [`${'00'.repeat(31)}`, 'is not a key'],
  [Array.from({ length: 9 }, newKey).join(','), 'has 9 keys'],
])('openSecrets refuses the keys %j and does not quote them', async (key, reason) => {
  const error: unknown = await openSecrets(store, { home, key }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'SECRETS_KEY_UNUSABLE', message: expect.stringContaining(reason) });
  if (key !== '') expect(String(error)).not.toContain(key);
});

test('parseSecretKeys reads the same key from base64, base64url and hexadecimal', () => {
  const bytes = randomBytes(32);
  const ids = (['base64', 'base64url', 'hex'] as const).map(
    (encoding) => parseSecretKeys(`# a comment\n${bytes.toString(encoding)}\n`, 'here')[0]?.id,
  );
  expect(new Set(ids).size).toBe(1);
});

test('secrets of further stores are counted, and a replaced key in a setting reseals them', async () => {
  const [older, newer] = [newKey(), newKey()];
  const { secrets } = await openSecrets(store, { home, key: older });
  let sealed = secrets.seal('private key', 'the place');
  let writes = 0;
  const holder = {
    changeSecrets: async (change: (secret: string, place: string) => string) => {
      const before = sealed;
      sealed = change(sealed, 'the place');
      writes += sealed === before ? 0 : 1;
      return sealed === before ? 0 : 1;
    },
  };
  const both = { home, key: `${newer},${older}` };
  expect(await secretsOf(store, both, [holder])).toEqual({ sealed: 0, stale: 1, lost: {} });
  expect(await secretsOf(store, { home, key: newer }, [holder])).toEqual({
    sealed: 0,
    stale: 0,
    lost: { [secrets.keyId]: 1 },
  });
  expect([await resealSecrets({ home, key: newer }, [holder]), writes]).toEqual([0, 0]);
  expect(await resealSecrets(both, [holder])).toBe(1);
  expect(await secretsOf(store, { home, key: newer }, [holder])).toEqual({ sealed: 1, stale: 0, lost: {} });
  expect((await openSecrets(store, { home, key: newer })).secrets.open(sealed, 'the place')).toBe('private key');
});

test('rotation reseals the secrets of further stores, twice in a row', async () => {
  const { secrets } = await openSecrets(store, { home });
  let sealed = secrets.seal('private key', 'the place');
  const holder = {
    changeSecrets: async (change: (secret: string, place: string) => string) => {
      const before = sealed;
      sealed = change(sealed, 'the place');
      return sealed === before ? 0 : 1;
    },
  };
  for (let turn = 0; turn < 3; turn++) expect((await rotateSecrets(store, { home }, [holder])).resealed).toBe(1);
  expect((await openSecrets(store, { home })).secrets.open(sealed, 'the place')).toBe('private key');
  sealed = sealed.replace(/^s1\.[^.]*/, 's1.unknown');
  const before = readFileSync(keyFile, 'utf8');
  await expect(rotateSecrets(store, { home }, [holder])).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
  expect(readFileSync(keyFile, 'utf8')).toBe(before);
});
