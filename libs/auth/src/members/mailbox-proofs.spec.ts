import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import { emailVerificationMs, MailboxProofs, passwordResetMs } from './mailbox-proofs.ts';
import type { Member } from './member.ts';
import { Members } from './members.ts';

const from = '192.0.2.1';
const password = 'four words in a row';
const after = 'five other words in a row';
let directory: string;
let store: AccountStore;
let auth: Auth;
let members: Members;
let proofs: MailboxProofs;
let ann: Member;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 2);
  directory = mkdtempSync(join(tmpdir(), 'cairn-proofs-'));
  store = await openLmdbAccountStore({ directory });
  auth = new Auth({ store, now: () => now });
  members = new Members({ auth, store: store.members, now: () => now });
  proofs = new MailboxProofs({ members, store: store.members, now: () => now });
  const actor = { who: 'visitor', from };
  ann = (await members.signUp({ email: 'ann@example.org', password, accountName: 'ann', actor })).member;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const signIn = (secret: string) => members.signIn({ email: ann.email, password: secret }, { address: from });
const tokenOf = async (email = ann.email) => (await proofs.beginPasswordReset(email))?.token ?? '';
const refused = { code: 'TOKEN_INVALID' };

describe('password reset', () => {
  test('sets the password once, ends all sessions and verifies the address', async () => {
    const { token: session } = await signIn(password);
    const token = await tokenOf(' ANN@example.org');
    await proofs.resetPassword(token, after, from);
    await expect(members.session(session)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
    await expect(signIn(password)).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
    expect((await signIn(after)).member.emailVerifiedAt).toBe(now);
    await expect(proofs.resetPassword(token, password, from)).rejects.toMatchObject(refused);
  });

  test('ten concurrent uses of one token set one password', async () => {
    const token = await tokenOf();
    const uses = Array.from({ length: 10 }, (_, index) => proofs.resetPassword(token, `${after} ${index}`, from));
    const results = await Promise.allSettled(uses);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('an unknown address gets no token', async () => {
    expect(await proofs.beginPasswordReset('bob@example.org')).toBeUndefined();
    expect(await proofs.beginPasswordReset('x'.repeat(5000))).toBeUndefined();
  });

  test('a token stays usable after a weak password', async () => {
    const token = await tokenOf();
    await expect(proofs.resetPassword(token, 'short', from)).rejects.toMatchObject({ code: 'PASSWORD_WEAK' });
    await proofs.resetPassword(token, after, from);
    expect((await signIn(after)).member.id).toBe(ann.id);
  });

  test('a token ends after its time, with a newer token and with a change of the password', async () => {
    const first = await tokenOf();
    const second = await tokenOf();
    await expect(proofs.resetPassword(first, after, from)).rejects.toMatchObject(refused);
    await members.setPassword(ann, after, { who: 'operator', from });
    await expect(proofs.resetPassword(second, password, from)).rejects.toMatchObject(refused);
    const third = await tokenOf();
    now += passwordResetMs;
    await expect(proofs.resetPassword(third, password, from)).rejects.toMatchObject(refused);
  });

  test('a token created while the clock was ahead is refused', async () => {
    now += 30 * 86_400_000;
    const token = await tokenOf();
    now -= 30 * 86_400_000;
    await expect(proofs.resetPassword(token, after, from)).rejects.toMatchObject(refused);
  });

  test('the second factor is still required', async () => {
    await store.members.update(ann.id, (member) => ({
      ...member,
      totp: { secret: 'JBSWY3DPEHPK3PXP', isConfirmed: true, lastCounter: 0 },
    }));
    await proofs.resetPassword(await tokenOf(), after, from);
    await expect(signIn(after)).rejects.toMatchObject({ code: 'TOTP_REQUIRED' });
  });
});

describe('e-mail verification', () => {
  test('records the first time and an audit entry', async () => {
    const { token } = await proofs.beginEmailVerification(ann);
    await proofs.verifyEmail(token, from);
    const verifiedAt = now;
    now += 1000;
    await proofs.verifyEmail((await proofs.beginEmailVerification(ann)).token, from);
    expect((await members.byEmail(ann.email)).emailVerifiedAt).toBe(verifiedAt);
    const actions: string[] = [];
    for await (const { action } of auth.auditEntries(ann.accountId)) actions.push(action);
    expect(actions.filter((action) => action === 'member.email.verify')).toHaveLength(1);
  });

  test('refuses a used, an expired and an invented token and one for a password', async () => {
    const { token } = await proofs.beginEmailVerification(ann);
    await proofs.verifyEmail(token, from);
    for (const wrong of [token, 'invented', '', await tokenOf()])
      await expect(proofs.verifyEmail(wrong, from)).rejects.toMatchObject(refused);
    const late = await proofs.beginEmailVerification(ann);
    now += emailVerificationMs;
    await expect(proofs.verifyEmail(late.token, from)).rejects.toMatchObject(refused);
  });

  test('a token for an earlier address does not verify a later one', async () => {
    const { token } = await proofs.beginEmailVerification(ann);
    await store.members.update(ann.id, (member) => ({ ...member, email: 'other@example.org' }));
    await expect(proofs.verifyEmail(token, from)).rejects.toMatchObject(refused);
  });
});

test('the store has no token that could be used', async () => {
  const token = await tokenOf();
  const [stored] = await store.members.tokens.of('password-reset', ann.id);
  expect(JSON.stringify(stored)).not.toContain(token);
  expect(stored).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{64}$/), expiresAt: now + passwordResetMs });
});
