import { describe, expect, test } from '@jest/globals';
import { type AuditEntry, differencesOf, sentenceOf } from './audit-texts.ts';

const entry = (action: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1,
  actor: { who: 'op@example.org', from: '::1' },
  action,
  accountId: 'acc_1',
  ...more,
});

describe('audit entries in words', () => {
  test('name what was changed and whom', () => {
    expect(sentenceOf(entry('key.revoke', { key: 'key-5d1f' }))).toBe('revoked the key key-5d1f');
    expect(sentenceOf(entry('account.status', { change: { status: 'suspended' } }))).toBe('suspended the account');
    expect(sentenceOf(entry('account.view', { change: { reason: 'ticket 42' } }))).toBe(
      'viewed the account: ticket 42',
    );
    expect(sentenceOf(entry('a.later.action'))).toBe('a.later.action');
  });

  test('have the values before and after with units', () => {
    expect(
      differencesOf(
        entry('account.quota', { change: { quotaBytes: 3 * 1024 ** 3 }, before: { quotaBytes: 1024 ** 2 } }),
      ),
    ).toEqual([{ field: 'Quota', before: '1.0 MiB', after: '3.0 GiB' }]);
    // JSON has no undefined: the quota of the plan is absent.
    expect(differencesOf(entry('account.quota', { change: {}, before: { quotaBytes: 1024 ** 2 } }))).toEqual([
      { field: 'Quota', before: '1.0 MiB', after: 'that of the plan' },
    ]);
    expect(differencesOf(entry('account.plan', { change: { plan: 'pro' }, before: { plan: 'free' } }))).toEqual([
      { field: 'Plan', before: 'free', after: 'pro' },
    ]);
  });

  test('compare the limits of a key one by one', () => {
    const change = { policy: { methods: ['eth_call'], networks: ['mainnet'] } };
    const before = {
      policy: { methods: ['eth_*'], networks: ['mainnet'], origins: ['https://a.example'] },
      expiresAt: 5,
    };
    expect(differencesOf(entry('key.limit', { change, before }))).toEqual([
      { field: 'methods', before: 'eth_*', after: 'eth_call' },
      { field: 'origins', before: 'https://a.example', after: 'no limit' },
    ]);
    expect(differencesOf(entry('key.limit', { change: { policy: { methods: [] } }, before: {} }))).toEqual([
      { field: 'methods', before: 'no limit', after: 'none' },
    ]);
  });

  test('entries of earlier versions have no earlier values', () => {
    expect(differencesOf(entry('account.plan', { change: { plan: 'pro' } }))).toEqual([
      { field: 'Plan', after: 'pro' },
    ]);
    expect(differencesOf(entry('member.role', { change: { memberId: 'mem_1', role: 'owner' } }))).toEqual([
      { field: 'Role', after: 'owner' },
    ]);
  });
});
