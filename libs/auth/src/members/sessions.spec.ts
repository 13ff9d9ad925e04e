import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import { openLmdbAccountStore } from '../lmdb-account-store.ts';
import { AccountViews, accountViewMs } from './account-views.ts';
import { ApiTokens, apiTokenLimits } from './api-tokens.ts';
import type { Member } from './member.ts';
import { Members } from './members.ts';
import { sessionIdleMs } from './sessions.ts';

const actor = { who: 'ann@example.org', from: '192.0.2.1' };
const password = 'four words in a row';
const dayMs = 86_400_000;
let directory: string;
let store: AccountStore;
let auth: Auth;
let members: Members;
let ann: Member;
let now: number;

beforeEach(async () => {
  now = Date.UTC(2026, 0, 2);
  directory = mkdtempSync(join(tmpdir(), 'cairn-sessions-'));
  store = await openLmdbAccountStore({ directory });
  auth = new Auth({ store, now: () => now });
  members = new Members({ auth, store: store.members, now: () => now });
  ann = (await members.signUp({ email: 'ann@example.org', password, accountName: 'ann', actor })).member;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

async function signIn(agent = 'Firefox', email = 'ann@example.org') {
  return await members.signIn({ email, password }, { address: '192.0.2.1', agent });
}

async function lastEntry(accountId: string) {
  for await (const entry of auth.auditEntries(accountId)) return entry;
  throw new Error('The audit log is empty.');
}

describe('sessions', () => {
  test('are listed with browser and address, the most recently used first', async () => {
    const first = await signIn('Firefox');
    now += 1000;
    await signIn('x'.repeat(1000));
    expect((await members.sessions.list(ann.id)).map(({ client }) => client?.agent?.length)).toEqual([256, 7]);
    now += 2 * 3_600_000;
    await members.session(first.token);
    const [newest] = await members.sessions.list(ann.id);
    expect(newest).toMatchObject({
      id: first.session.id,
      usedAt: now,
      expiresAt: now + sessionIdleMs,
      client: { address: '192.0.2.1', agent: 'Firefox' },
    });
  });

  test('end one by one or all but one, and those of others stay', async () => {
    await members.add('ann', { email: 'bob@example.org', password, actor });
    const bob = await signIn('Safari', 'bob@example.org');
    const [kept, ended, other] = [await signIn(), await signIn(), await signIn()];
    await expect(members.sessions.end(ann.id, bob.session.id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await members.sessions.end(ann.id, ended.session.id);
    await expect(members.session(ended.token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
    await members.sessions.endOthers(kept.session);
    await expect(members.session(other.token)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
    expect((await members.session(kept.token)).member.id).toBe(ann.id);
    expect((await members.session(bob.token)).member.email).toBe('bob@example.org');
  });

  test('expired ones are not listed', async () => {
    await signIn();
    now += sessionIdleMs;
    expect(await members.sessions.list(ann.id)).toEqual([]);
  });
});

describe('views of operators', () => {
  let views: AccountViews;
  let operator: Awaited<ReturnType<typeof signIn>>;
  beforeEach(async () => {
    views = new AccountViews({ store, now: () => now });
    await auth.createAccount({ name: 'operators' });
    await members.add('operators', { email: 'op@example.org', password, role: 'operator', actor });
    operator = await signIn('Chrome', 'op@example.org');
  });

  test('show the account of another until they end, and the audit log has operator and reason', async () => {
    const endsAt = await views.begin(operator, ann.accountId, 'ticket 42', { ...actor, who: 'op@example.org' });
    expect(endsAt).toBe(now + accountViewMs);
    const viewing = await members.session(operator.token);
    expect([viewing.account.name, viewing.member.email, viewing.viewEndsAt]).toEqual(['ann', 'op@example.org', endsAt]);
    expect(await lastEntry('ann')).toMatchObject({
      action: 'account.view',
      actor: { who: 'op@example.org' },
      change: { reason: 'ticket 42', minutes: 30 },
    });
    await views.end(viewing);
    expect(await members.session(operator.token)).toMatchObject({ account: { name: 'operators' } });
    await views.begin(operator, ann.accountId, 'ticket 42', actor);
    now = endsAt;
    const after = await members.session(operator.token);
    expect([after.account.name, after.viewEndsAt]).toEqual(['operators', undefined]);
  });

  test('need an operator, a reason and an account', async () => {
    const member = await signIn();
    const { accountId } = operator.member;
    await expect(views.begin(member, accountId, 'curiosity', actor)).rejects.toMatchObject({
      code: 'MEMBER_NOT_FOUND',
    });
    for (const reason of ['', 'why', 'two\nlines', 'x'.repeat(201)])
      await expect(views.begin(operator, ann.accountId, reason, actor)).rejects.toMatchObject({
        code: 'VALUE_INVALID',
      });
    await expect(views.begin(operator, 'acc_none', 'ticket 42', actor)).rejects.toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
    });
  });
});

describe('API tokens', () => {
  let tokens: ApiTokens;
  beforeEach(() => {
    tokens = new ApiTokens({ store, now: () => now });
  });

  test('act for the member until they expire or are revoked', async () => {
    const { token, text } = await tokens.create(ann, { name: 'deploy', days: 30, isReadOnly: false }, actor);
    expect(text).toMatch(/^cairn_pat_[\w-]{43}$/);
    expect(await tokens.signIn(text)).toMatchObject({
      member: { id: ann.id },
      account: { name: 'ann' },
      apiToken: token,
    });
    expect(JSON.stringify(await store.members.tokens.of('api', ann.id))).not.toContain(text);
    expect(await lastEntry('ann')).toMatchObject({ action: 'member.token.create', change: { name: 'deploy' } });
    now += 30 * dayMs;
    await expect(tokens.signIn(text)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    const second = await tokens.create(ann, { name: 'again', days: 1, isReadOnly: true }, actor);
    expect(await tokens.list(ann)).toEqual([second.token]);
    await tokens.revoke(ann, second.token.id, actor);
    await expect(tokens.signIn(second.text)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    expect(await lastEntry('ann')).toMatchObject({ action: 'member.token.revoke', change: { name: 'again' } });
  });

  test('end with the member, pause with the account, and are not tokens of mails', async () => {
    const bob = await members.add('ann', { email: 'bob@example.org', password, role: 'developer', actor });
    const { text, token } = await tokens.create(bob, { name: 'ci', days: 1, isReadOnly: true }, actor);
    await expect(tokens.revoke(ann, token.id, actor)).rejects.toMatchObject({ code: 'API_TOKEN_NOT_FOUND' });
    await auth.setStatus('ann', 'suspended');
    await expect(tokens.signIn(text)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await auth.setStatus('ann', 'active');
    await store.members.changeOfAccount(ann.accountId, () => ({ remove: bob }), {
      at: now,
      actor,
      action: 'member.remove',
      accountId: ann.accountId,
    });
    await expect(tokens.signIn(text)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    await expect(members.session(text)).rejects.toMatchObject({ code: 'SESSION_INVALID' });
  });

  test('names, days and their number have limits', async () => {
    const good = { name: 'ci', days: 1, isReadOnly: true };
    for (const bad of [{ name: '' }, { name: 'a\0' }, { days: 0 }, { days: 367 }, { days: 1.5 }])
      await expect(tokens.create(ann, { ...good, ...bad }, actor)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    for (let index = 0; index < apiTokenLimits.tokensMax; index++) await tokens.create(ann, good, actor);
    await expect(tokens.create(ann, good, actor)).rejects.toMatchObject({ code: 'API_TOKENS_FULL' });
  });
});

describe('audit entries', () => {
  test('have the values before and after a change', async () => {
    await auth.changeAccount('ann', { plan: 'pro', quotaBytes: 5, card: { brand: 'visa', last4: '4242' } });
    await auth.changeAccount('ann', { quotaBytes: null, card: null });
    const { key } = await auth.createKey('ann', { policy: { methods: ['eth_call'] } });
    await auth.limitKey(key.id, { policy: { methods: [] } });
    const found = new Map<string, unknown>();
    for await (const { action, change, before } of auth.auditEntries('ann'))
      if (!found.has(action)) found.set(action, { change, before });
    expect(Object.fromEntries(found)).toMatchObject({
      'account.plan': { change: { plan: 'pro' }, before: { plan: 'free' } },
      'account.quota': { before: { quotaBytes: 5 } },
      'card.remove': { before: { brand: 'visa', last4: '4242' } },
      'key.limit': { change: { policy: { methods: [] } }, before: { policy: { methods: ['eth_call'] } } },
    });
  });
});
