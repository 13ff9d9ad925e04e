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
import { openSecrets, rotateSecrets, secretsOf } from './open-secrets.ts';
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

/** A member with a second factor. Resolves with what gives the next code of it. */
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
const keptSecret = async (name = 'ann') =>
  (await membersWith().byEmail(`${name}@example.org`)).totp?.secret ?? 'no second factor';

describe('a home without a key file', () => {
  test('gets one with mode 0600, and second factors are sealed from the first on', async () => {
    const { secrets, problem } = await openSecrets(store, { home });
    expect(problem).toBeUndefined();
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(home).sort()).toEqual(['accounts', 'secrets.key']);
    const members = membersWith(secrets);
    const code = await enroll(members);
    expect(isSealed(await keptSecret())).toBe(true);
    await signIn(members, code());
  });

  test('has its clear second factors sealed in one transaction, once', async () => {
    const codes = [await enroll(membersWith()), await enroll(membersWith(), 'bob')];
    const clear = await keptSecret();
    expect(clear).toMatch(/^[A-Z2-7]{32}$/);
    const { secrets, resealed } = await openSecrets(store, { home });
    expect(resealed).toBe(2);
    const sealed = await keptSecret();
    expect([isSealed(sealed), sealed.includes(clear)]).toEqual([true, false]);
    expect((await openSecrets(store, { home })).resealed).toBe(0);
    expect(await keptSecret()).toBe(sealed);
    await signIn(membersWith(secrets), codes[0]?.() ?? '');
    await signIn(membersWith(secrets), codes[1]?.() ?? '', 'bob');
  });

  test('ends with one key where processes start at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSecrets(store, { home })));
    expect(new Set(opened.map(({ secrets }) => secrets.keyId)).size).toBe(1);
  });
});

describe('a key that is missing or another one', () => {
  test.each([
    ['missing', () => rmSync(keyFile)],
    ['another one', () => writeFileSync(keyFile, newKey())],
  ])('%s: an error at the start and for the sign-in, no new key, nothing changed', async (_, harm) => {
    const first = await openSecrets(store, { home });
    const code = await enroll(membersWith(first.secrets));
    await membersWith(first.secrets).signUp({ email: 'bob@example.org', password, accountName: 'bob', actor });
    const [sealed, file] = [await keptSecret(), readFileSync(keyFile)];
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
    expect(await keptSecret()).toBe(sealed);
    await expect(rotateSecrets(store, { home })).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
    expect(Object.values((await secretsOf(store, { home })).lost)).toEqual([1]);

    writeFileSync(keyFile, file);
    await signIn(membersWith((await openSecrets(store, { home })).secrets), code());
  });

  test('leaves a member whose second factor was reset able to sign in, and a new key is made then', async () => {
    const { secrets } = await openSecrets(store, { home });
    await enroll(membersWith(secrets));
    rmSync(keyFile);
    const members = membersWith();
    await members.removeTotp(await members.byEmail('ann@example.org'), undefined, actor);
    const { problem } = await openSecrets(store, { home });
    expect([problem, existsSync(keyFile)]).toEqual([undefined, true]);
    await members.signIn({ email: 'ann@example.org', password }, client);
  });

  test('signs and takes no delegations', async () => {
    const { account } = await membersWith().signUp({ email: 'ann@example.org', password, accountName: 'ann', actor });
    const { secrets } = await openSecrets(store, { home });
    const sealedAuth = new Auth({ store, secrets, now: () => now });
    const delegation = await sealedAuth.delegation(account.id);
    expect((await sealedAuth.identify(delegation)).account.name).toBe('ann');
    // A copy of the store is no longer enough to forge one.
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
  test('seals everything with a new key that running services take up', async () => {
    const { secrets } = await openSecrets(store, { home });
    const before = secrets.keyId;
    const members = membersWith(secrets);
    const code = await enroll(members);
    const inFlight = secrets.seal('sealed while the key changes', 'here');
    const { keyId, resealed } = await rotateSecrets(store, { home });
    expect([resealed, secrets.keyId, keyId === before]).toEqual([1, keyId, false]);
    expect(await keptSecret()).toContain(keyId);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    await signIn(members, code());
    expect(secrets.open(inFlight, 'here')).toBe('sealed while the key changes');
    await rotateSecrets(store, { home });
    expect(() => secrets.open(inFlight, 'here')).toThrow(expect.objectContaining({ code: 'SECRETS_KEY_UNUSABLE' }));
    await signIn(members, code());
    expect(readdirSync(home).sort()).toEqual(['accounts', 'secrets.key']);
  });

  test('that was ended before it sealed is completed by the next start', async () => {
    const old = newKey();
    writeFileSync(keyFile, old, { mode: 0o600 });
    const code = await enroll(membersWith((await openSecrets(store, { home })).secrets));
    writeFileSync(keyFile, `${newKey()}\n${old}\n`);
    const { secrets, resealed } = await openSecrets(store, { home });
    expect(resealed).toBe(1);
    await signIn(membersWith(secrets), code());
  });

  test('of a key in the settings is a list of two at the next start', async () => {
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
  test('opens in its own place only: not for another member', async () => {
    const { secrets } = await openSecrets(store, { home });
    await enroll(membersWith(secrets));
    const code = await enroll(membersWith(secrets), 'bob');
    const stolen = await keptSecret('bob');
    const ann = await membersWith().byEmail('ann@example.org');
    const plant = (member: Member): Member => ({
      ...member,
      totp: { secret: stolen, isConfirmed: true, lastCounter: 0 },
    });
    await store.members.update(ann.id, plant);
    await expect(signIn(membersWith(secrets), code())).rejects.toMatchObject({ code: 'SECRETS_KEY_UNUSABLE' });
  });

  test('opens to what was sealed, under a new nonce each time, and not with a bit changed', () => {
    const box = new SecretBox(() => parseSecretKeys(newKey(), 'here'));
    const fixed = parseSecretKeys(newKey(), 'here');
    const kept = new SecretBox(() => fixed);
    fc.assert(
      fc.property(fc.string(), fc.nat(), (text, at) => {
        const sealed = kept.seal(text, 'place');
        expect(kept.open(sealed, 'place')).toBe(text);
        expect(kept.seal(text, 'place')).not.toBe(sealed);
        expect(() => kept.open(sealed, 'other')).toThrow('changed or moved');
        expect(() => box.open(sealed, 'place')).toThrow('is not there');
        const [version, id, body = ''] = sealed.split('.');
        const bytes = Buffer.from(body, 'base64url');
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ 1;
        expect(() => kept.open(`${version}.${id}.${bytes.toString('base64url')}`, 'place')).toThrow('changed or moved');
        expect(() => kept.open(`${version}.${id}.${body.slice(0, at % 20)}`, 'place')).toThrow('changed or moved');
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
])('keys %j are refused without being repeated', async (key, reason) => {
  const error: unknown = await openSecrets(store, { home, key }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'SECRETS_KEY_UNUSABLE', message: expect.stringContaining(reason) });
  if (key !== '') expect(String(error)).not.toContain(key);
});

test('keys in base64, base64url and hexadecimal are the same key', () => {
  const bytes = randomBytes(32);
  const ids = (['base64', 'base64url', 'hex'] as const).map(
    (encoding) => parseSecretKeys(`# a comment\n${bytes.toString(encoding)}\n`, 'here')[0]?.id,
  );
  expect(new Set(ids).size).toBe(1);
});
