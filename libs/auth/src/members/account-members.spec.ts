import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import { AccountMembers, accountMemberLimits } from './account-members.ts';
import type { AccountRole, Member } from './member.ts';
import { Members } from './members.ts';

const from = '192.0.2.1';
const actor = { who: 'ann@example.org', from };
const password = 'four words in a row';
let directory: string;
let store: AccountStore;
let auth: Auth;
let members: Members;
let team: AccountMembers;
let ann: Member;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 2);
  directory = mkdtempSync(join(tmpdir(), 'cairn-team-'));
  store = await openLmdbAccountStore({ directory });
  auth = new Auth({ store, now: () => now });
  members = new Members({ auth, store: store.members, now: () => now });
  team = new AccountMembers({ store, now: () => now });
  ann = (await members.signUp({ email: 'ann@example.org', password, accountName: 'ann', actor })).member;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const invite = (email: string, role: AccountRole = 'developer') => team.invite(ann.accountId, { email, role, actor });
const refused = { code: 'TOKEN_INVALID' };

describe('invitations', () => {
  test('an accepted one creates a member of the account with its role and a verified address', async () => {
    const { token, invitation } = await invite(' Bob@example.org', 'billing');
    expect((await team.invitation(token)).account.name).toBe('ann');
    expect(await team.invitations(ann.accountId)).toEqual([invitation]);
    const bob = await team.accept(token, password, from);
    expect(bob).toMatchObject({
      email: 'bob@example.org',
      role: 'billing',
      accountId: ann.accountId,
      emailVerifiedAt: now,
    });
    expect((await members.signIn({ email: 'bob@example.org', password }, { address: from })).account.name).toBe('ann');
    expect(await team.invitations(ann.accountId)).toEqual([]);
    await expect(team.accept(token, password, from)).rejects.toMatchObject(refused);
    const actions: string[] = [];
    for await (const { action, actor: by } of auth.auditEntries('ann')) actions.push(`${action} ${by.who}`);
    expect(actions.slice(0, 2)).toEqual(['member.create bob@example.org', 'member.invite ann@example.org']);
  });

  test('a weak password keeps the token, and concurrent uses create one member', async () => {
    const { token } = await invite('bob@example.org');
    await expect(team.accept(token, 'short', from)).rejects.toMatchObject({ code: 'PASSWORD_WEAK' });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => team.accept(token, password, from)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('an expired, replaced, withdrawn or invented one is refused', async () => {
    const first = await invite('bob@example.org');
    const second = await invite('bob@example.org');
    const { id } = second.invitation;
    await expect(team.withdraw('other', id, actor)).rejects.toMatchObject({ code: 'INVITATION_NOT_FOUND' });
    await team.withdraw(ann.accountId, id, actor);
    const third = await invite('carl@example.org');
    now += accountMemberLimits.invitationMs;
    for (const token of [first.token, second.token, third.token, 'invented'])
      await expect(team.accept(token, password, from)).rejects.toMatchObject(refused);
    expect(await team.invitations(ann.accountId)).toEqual([]);
  });

  test('an existing member and a wrong address are refused', async () => {
    await expect(invite('ANN@example.org')).rejects.toMatchObject({ code: 'MEMBER_EXISTS' });
    await expect(invite('nobody')).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    const { token } = await invite('bob@example.org');
    await members.signUp({ email: 'bob@example.org', password, accountName: 'bob', actor });
    await expect(team.accept(token, password, from)).rejects.toMatchObject({ code: 'MEMBER_EXISTS' });
  });

  test('an account has a limited number of members and invitations', async () => {
    for (let index = 1; index < accountMemberLimits.membersMax; index++) await invite(`m${index}@example.org`);
    await expect(invite('one-more@example.org')).rejects.toMatchObject({ code: 'MEMBERS_FULL' });
    expect((await invite('m1@example.org', 'owner')).invitation.role).toBe('owner');
  });
});

describe('roles', () => {
  test('the last owner keeps the role and stays; another owner can replace it', async () => {
    const { accountId, id } = ann;
    await expect(team.setRole(accountId, id, 'billing', actor)).rejects.toMatchObject({ code: 'OWNER_REQUIRED' });
    await expect(team.remove(accountId, id, actor)).rejects.toMatchObject({ code: 'OWNER_REQUIRED' });
    const bob = await team.accept((await invite('bob@example.org')).token, password, from);
    await team.setRole(accountId, bob.id, 'owner', actor);
    await team.setRole(accountId, id, 'read-only', actor);
    expect((await team.list(accountId)).map(({ role }) => role).sort()).toEqual(['owner', 'read-only']);
  });

  test('removal ends the sessions', async () => {
    await team.accept((await invite('bob@example.org')).token, password, from);
    const { token, member } = await members.signIn({ email: 'bob@example.org', password }, { address: from });
    await team.remove(ann.accountId, member.id, actor);
    await expect(members.session(token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
  });

  test('members of other accounts and operators are not found', async () => {
    const { member } = await members.signUp({ email: 'eve@example.org', password, accountName: 'eve', actor });
    const operator = await members.add('ann', { email: 'op@example.org', password, role: 'operator', actor });
    for (const { id } of [member, operator]) {
      await expect(team.remove(ann.accountId, id, actor)).rejects.toMatchObject({ code: 'MEMBER_NOT_FOUND' });
      const change = team.setRole(ann.accountId, id, 'read-only', actor);
      await expect(change).rejects.toMatchObject({ code: 'MEMBER_NOT_FOUND' });
    }
  });
});
