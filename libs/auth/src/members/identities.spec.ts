import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import { Identities } from './identities.ts';
import { MailboxProofs } from './mailbox-proofs.ts';
import { Members } from './members.ts';

const from = '192.0.2.1';
const actor = { who: 'ann@example.org', from };
const password = 'four words in a row';
const ann = { issuer: 'https://id.example', subject: '1', email: 'Ann@example.org', isEmailVerified: true };
const open = { plan: 'free', from };
const refused = { code: 'IDENTITY_REFUSED' };
let directory: string;
let store: AccountStore;
let auth: Auth;
let members: Members;
let identities: Identities;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-identities-'));
  store = await openLmdbAccountStore({ directory });
  auth = new Auth({ store });
  members = new Members({ auth, store: store.members });
  identities = new Identities({ auth, store });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const signUp = async () =>
  (await members.signUp({ email: 'ann@example.org', password, accountName: 'acme', actor })).member;
const verify = async () => {
  const proofs = new MailboxProofs({ members, store: store.members });
  await proofs.verifyEmail((await proofs.beginEmailVerification(await members.byEmail(ann.email))).token, from);
};

describe('a first sign-in with a provider', () => {
  test('creates an account whose member has no password', async () => {
    const member = await identities.member(ann, open);
    expect(member).toMatchObject({ email: 'ann@example.org', role: 'owner', passwordHash: '' });
    expect(member.emailVerifiedAt).toBeDefined();
    expect((await auth.account(member.accountId)).name).toBe('ann');
    for (const guess of ['', 'ann', password])
      await expect(members.signIn({ email: ann.email, password: guess }, { address: from })).rejects.toMatchObject({
        code: 'SIGN_IN_FAILED',
      });
    const actions: string[] = [];
    for await (const { action } of auth.auditEntries('ann')) actions.push(action);
    expect(actions).toEqual(['member.identity.link', 'member.create', 'account.create']);
  });

  test('names the account by the address, and by another name if that is taken', async () => {
    await auth.createAccount({ name: 'ann' });
    const { accountId } = await identities.member(ann, open);
    expect((await auth.account(accountId)).name).toBe('ann 2');
    const odd = { issuer: ann.issuer, subject: '2', email: '+o/dd@example.org', isEmailVerified: true };
    expect((await auth.account((await identities.member(odd, open)).accountId)).name).toBe('o-dd');
  });

  test('links a member with a verified address, also while sign-up is closed', async () => {
    const { id } = await signUp();
    await verify();
    expect((await identities.member(ann, { from })).id).toBe(id);
    expect((await members.signIn({ email: ann.email, password }, { address: from })).member.id).toBe(id);
  });

  test('is refused without a verified address at the provider, or here, or without an account while sign-up is closed', async () => {
    for (const claims of [
      { ...ann, isEmailVerified: false },
      { ...ann, email: undefined },
    ])
      await expect(identities.member(claims, open)).rejects.toMatchObject(refused);
    await expect(identities.member(ann, { from })).rejects.toMatchObject(refused);
    await signUp();
    await expect(identities.member(ann, open)).rejects.toMatchObject(refused);
    await verify();
    await identities.member(ann, open);
  });
});

describe('a later sign-in', () => {
  test('finds the member by issuer and subject, whatever the address is now', async () => {
    const { id } = await identities.member(ann, open);
    expect((await identities.member({ ...ann, email: 'new@example.org', isEmailVerified: false }, { from })).id).toBe(
      id,
    );
    const other = { ...ann, issuer: 'https://other.example', email: 'new@example.org' };
    expect((await identities.member(other, open)).id).not.toBe(id);
  });

  test('a removed member is not signed in', async () => {
    const member = await identities.member(ann, open);
    const entry = { at: 1, actor, action: 'member.remove', accountId: member.accountId };
    await store.members.changeOfAccount(member.accountId, () => ({ remove: member }), entry);
    await expect(identities.member({ ...ann, isEmailVerified: false }, { from })).rejects.toMatchObject(refused);
  });
});

test('concurrent first sign-ins create one account', async () => {
  const found = await Promise.allSettled([identities.member(ann, open), identities.member(ann, open)]);
  expect(found.some(({ status }) => status === 'fulfilled')).toBe(true);
  let accounts = 0;
  for await (const _ of auth.accounts()) accounts++;
  expect(accounts).toBe(1);
});
