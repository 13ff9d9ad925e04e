import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import { Members } from './members.ts';
import { sessionIdleMs, sessionMsMax } from './sessions.ts';

const actor = { who: 'visitor', from: '192.0.2.1' };
const ann = { email: 'Ann@Example.org ', password: 'four words in a row', accountName: 'ann', actor };
const client = { address: '192.0.2.1' };
let directory: string;
let store: AccountStore;
let auth: Auth;
let members: Members;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 2);
  directory = mkdtempSync(join(tmpdir(), 'cairn-members-'));
  store = await openLmdbAccountStore({ directory });
  auth = new Auth({ store, now: () => now });
  members = new Members({ auth, store: store.members, now: () => now });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const signIn = (more: Partial<{ password: string; code: string; email: string }> = {}) =>
  members.signIn({ email: 'ann@example.org', password: ann.password, ...more }, client);

describe('sign-up', () => {
  test('creates account and member, and logs both', async () => {
    const { member, account } = await members.signUp(ann);
    expect(member).toMatchObject({ email: 'ann@example.org', role: 'owner', accountId: account.id });
    expect(account).toMatchObject({ name: 'ann', email: 'ann@example.org', plan: 'free', card: undefined });
    const actions: string[] = [];
    for await (const { action, actor: by } of auth.auditEntries('ann')) actions.push(`${action} ${by.who} ${by.from}`);
    expect(actions).toEqual(['member.create ann@example.org 192.0.2.1', 'account.create ann@example.org 192.0.2.1']);
    expect(member.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('two concurrent sign-ups with one address create one account', async () => {
    const other = { ...ann, accountName: 'other' };
    const results = await Promise.allSettled([members.signUp(ann), members.signUp(other)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const accounts: string[] = [];
    for await (const { name } of auth.accounts()) accounts.push(name);
    expect(accounts).toHaveLength(1);
  });

  test.each([
    [{ ...ann, email: 'nobody' }, 'VALUE_INVALID'],
    [{ ...ann, password: 'short' }, 'PASSWORD_WEAK'],
    [{ ...ann, password: 'aaaaaaaaaaaaaaaa' }, 'PASSWORD_WEAK'],
    [{ ...ann, password: 'my ann@example.org!' }, 'PASSWORD_WEAK'],
    [{ ...ann, password: 'abcde'.repeat(100) }, 'PASSWORD_WEAK'],
    [{ ...ann, accountName: '' }, 'VALUE_INVALID'],
  ])('refuses %j with %s and creates nothing', async (bad, code) => {
    await expect(members.signUp(bad)).rejects.toMatchObject({ code });
    for await (const account of auth.accounts()) throw new Error(`created ${account.name}`);
  });

  test('refuses a name or an address that already exists', async () => {
    await members.signUp(ann);
    await expect(members.signUp({ ...ann, accountName: 'b' })).rejects.toMatchObject({ code: 'MEMBER_EXISTS' });
    await expect(members.signUp({ ...ann, email: 'b@example.org' })).rejects.toMatchObject({ code: 'ACCOUNT_EXISTS' });
    await expect(members.byEmail('b@example.org')).rejects.toMatchObject({ code: 'MEMBER_NOT_FOUND' });
  });
});

describe('sessions', () => {
  beforeEach(() => members.signUp(ann));

  test('a token is valid until sign-out, and the stored session id is not a token', async () => {
    const { token, session } = await signIn();
    expect(await members.session(token)).toMatchObject({
      member: { email: 'ann@example.org' },
      account: { name: 'ann' },
    });
    expect(session.id).not.toContain(token);
    await expect(members.session(session.id)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
    await members.signOut(token);
    await expect(members.session(token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
  });

  test('a session ends without use, and after a week even if it is used', async () => {
    const { token } = await signIn();
    const begin = now;
    for (; now < begin + sessionMsMax - sessionIdleMs; now += sessionIdleMs / 2) await members.session(token);
    now = begin + sessionMsMax;
    await expect(members.session(token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
    const { token: idle } = await signIn();
    now += sessionIdleMs;
    await expect(members.session(idle)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
  });

  test('suspending the account refuses its sessions', async () => {
    const { token } = await signIn();
    await auth.setStatus('ann', 'suspended');
    await expect(members.session(token)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  });

  test('an unknown address and a wrong password get the same error; further attempts are paused', async () => {
    const answers = await Promise.all(
      [signIn({ password: 'not the words' }), signIn({ email: 'x@example.org' })].map((attempt) =>
        attempt.catch(({ code, message, hint }) => ({ code, message, hint })),
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ code: 'SIGN_IN_FAILED' });
    for (let n = 0; n < 10; n++) await signIn({ password: 'not the words' }).catch(() => {});
    await expect(signIn()).rejects.toMatchObject({ code: 'ATTEMPTS_PAUSED' });
  });

  test('of 100 concurrent wrong passwords, ten free ones and one more are checked', async () => {
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => signIn({ password: `guess number ${n}` }).catch(({ code }) => code)),
    );
    expect(codes.filter((code) => code === 'SIGN_IN_FAILED')).toHaveLength(11);
    expect(codes.filter((code) => code === 'ATTEMPTS_PAUSED')).toHaveLength(89);
  });

  test('correct passwords are never paused', async () => {
    for (let n = 0; n < 15; n++) await signIn();
    await Promise.all(Array.from({ length: 10 }, () => signIn()));
  });

  test('changePassword ends all sessions', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const changed = { before: ann.password, after: 'some other words', actor };
    await expect(members.changePassword(one, { ...changed, before: 'wrong' })).rejects.toMatchObject({
      code: 'SIGN_IN_FAILED',
    });
    await members.changePassword(one, changed);
    await expect(members.session(other.token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
    await expect(signIn()).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
    await signIn({ password: 'some other words' });
  });
});

describe('second factor', () => {
  const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });

  test('is required once it is confirmed, and each code is accepted once', async () => {
    const { member } = await members.signUp(ann);
    const { secret, uri } = await members.beginTotp(member);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Cairn:ann%40example.org\?/);
    await signIn();
    await expect(members.confirmTotp(member, '000000', actor)).rejects.toMatchObject({ code: 'TOTP_INVALID' });
    await members.confirmTotp(member, codeOf(secret), actor);
    await expect(signIn()).rejects.toMatchObject({ code: 'TOTP_REQUIRED' });
    await expect(signIn({ code: codeOf(secret) })).rejects.toMatchObject({ code: 'TOTP_INVALID' });
    now += 30_000;
    await signIn({ code: codeOf(secret) });
    await expect(members.beginTotp(member)).rejects.toMatchObject({ code: 'TOTP_INVALID' });
    now += 90_000;
    await members.removeTotp(member, codeOf(secret), actor);
    await signIn();
  });
});

describe('a signed-in member', () => {
  test.each(['a code', 'a password'])('is paused after guessing %s too often', async (what) => {
    const { member } = await members.signUp(ann);
    const { secret } = await members.beginTotp(member);
    const session = await signIn();
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
    await members.confirmTotp(member, code, actor);
    const guess = () =>
      what === 'a code'
        ? members.removeTotp(member, '000000', actor)
        : members.changePassword(session, { before: 'a guess', after: 'some other words', actor });
    for (let n = 0; n < 11; n++) await guess().catch(() => {});
    await expect(guess()).rejects.toMatchObject({ code: 'ATTEMPTS_PAUSED' });
    expect((await members.byEmail('ann@example.org')).totp).toMatchObject({ isConfirmed: true });
  });
});

describe('after the clock was ahead', () => {
  const yearMs = 365 * 86_400_000;

  test('members with a second factor can sign in, and each code is accepted once', async () => {
    const { member } = await members.signUp(ann);
    const { secret } = await members.beginTotp(member);
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
    await members.confirmTotp(member, code(), actor);
    now += yearMs;
    await signIn({ code: code() });
    now -= yearMs - 60_000;
    await signIn({ code: code() });
    await expect(signIn({ code: code() })).rejects.toMatchObject({ code: 'TOTP_INVALID' });
  });

  test('a session created at that time is refused', async () => {
    await members.signUp(ann);
    now += yearMs;
    const { token } = await signIn();
    expect((await members.session(token)).member.email).toBe('ann@example.org');
    now -= yearMs;
    await expect(members.session(token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
  });

  test('sessions survive a clock that is set back by minutes', async () => {
    await members.signUp(ann);
    const { token } = await signIn();
    now -= 30 * 60_000;
    expect((await members.session(token)).member.email).toBe('ann@example.org');
  });
});

describe('delegations', () => {
  test('authenticate as the account for a minute, in place of a key', async () => {
    const { account } = await members.signUp(ann);
    const delegation = await auth.delegation(account.id);
    expect(await auth.identify(delegation)).toMatchObject({ account: { name: 'ann' }, key: { reference: 'console' } });
    expect(await auth.authenticate({ keyId: delegation, secret: '' })).toMatchObject({ account: { name: 'ann' } });
    now += 60_000;
    await expect(auth.identify(delegation)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
  });

  test.each([
    ['another account', (text: string) => text.replace(/acc_\w+/, 'acc_other')],
    ['another expiry', (text: string) => text.replace(/\.\d+\./, '.9999999999999.')],
    ['no signature', (text: string) => text.replace(/[^.]+$/, '')],
    ['only its first half', (text: string) => text.slice(0, 20)],
    ['only the prefix', () => '~c.'],
  ])('a delegation with %s is refused', async (_, forge) => {
    const { account } = await members.signUp(ann);
    const forged = forge(await auth.delegation(account.id));
    await expect(auth.identify(forged)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
  });

  test('a delegation signed while the clock was ahead is refused until that time', async () => {
    const { account } = await members.signUp(ann);
    now += 86_400_000;
    const delegation = await auth.delegation(account.id);
    now -= 86_400_000;
    await expect(auth.identify(delegation)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    now += 86_400_000 - 30_000;
    expect(await auth.identify(delegation)).toMatchObject({ account: { name: 'ann' } });
  });

  test('a delegation is refused by another home, during a suspension, and after its expiry', async () => {
    const { account } = await members.signUp(ann);
    const delegation = await auth.delegation(account.id);
    const elsewhere = mkdtempSync(join(tmpdir(), 'cairn-members-'));
    const other = new Auth({ store: await openLmdbAccountStore({ directory: elsewhere }), now: () => now });
    try {
      await expect(other.identify(delegation)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    } finally {
      await other.close();
      rmSync(elsewhere, { recursive: true });
    }
    await auth.setStatus('ann', 'suspended');
    await expect(auth.identify(delegation)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await auth.setStatus('ann', 'active');
    expect(await auth.identify(delegation)).toMatchObject({ account: { name: 'ann' } });
    for (const jump of [60_000, 365 * 86_400_000]) {
      now += jump;
      await expect(auth.identify(delegation)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    }
  });

  test('a delegation paid by the service allows only the reads of its pages, and names the payer', async () => {
    const { account } = await members.signUp(ann);
    const delegation = await auth.delegation(account.id, { payer: 'service' });
    expect(await auth.identify(delegation)).toMatchObject({
      account: { name: 'ann' },
      key: { reference: 'console', policy: { storage: ['read'], methods: ['eth_chainId', 'eth_getBlockByNumber'] } },
      payer: { id: 'console' },
    });
    expect((await auth.identify(await auth.delegation(account.id))).payer).toBeUndefined();
    // The prefix is part of the signed text: a delegation of the account cannot be turned into one of the service.
    const forged = (await auth.delegation(account.id)).replace('~c.', '~s.');
    await expect(auth.identify(forged)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
  });

  test('a delegation of a suspended account is refused', async () => {
    const { account } = await members.signUp(ann);
    await auth.setStatus('ann', 'suspended');
    await expect(auth.identify(await auth.delegation(account.id))).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  });
});
