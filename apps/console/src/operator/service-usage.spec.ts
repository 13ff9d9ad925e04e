import type { Account } from '@cairn/auth';
import { type UsageRow, zeroCounts } from '@cairn/metering';
import { describe, expect, test } from '@jest/globals';
import { rangeOfSpan } from '../usage-summary.ts';
import { summarizeService } from './service-usage.ts';
import { ServiceUsages } from './service-usages.ts';

const now = Date.UTC(2026, 10, 20, 12, 30);
const range = rangeOfSpan('day', now);

function account(id: string): Account {
  return { id, name: `name of ${id}`, email: undefined, plan: 'free', status: 'active', card: undefined, createdAt: 0 };
}

function row(accountId: string, operation: string, more: Partial<UsageRow>): UsageRow {
  const subject = { accountId, at: range.from, service: 'rpc', operation, network: 'sepolia', key: 'k' };
  return { ...subject, ...zeroCounts(), ...more };
}

function usageOf(rows: readonly UsageRow[]) {
  const asked: string[] = [];
  return {
    asked,
    rows: async function* (accountId: string) {
      asked.push(accountId);
      yield* rows.filter((one) => one.accountId === accountId);
    },
  };
}

describe('usage of the service', () => {
  test('adds up accounts, operations, services and networks', async () => {
    const rows = [
      row('a', 'eth_call', { requests: 3, credits: 30, errors: 1 }),
      row('b', 'eth_call', { requests: 9, credits: 9, at: range.to - 1 }),
      row('b', 'cat', { requests: 1, credits: 5, service: 'storage', network: '' }),
    ];
    const found = await summarizeService(['a', 'b', 'idle'].map(account), usageOf(rows), range, now);
    expect(found.total).toMatchObject({ requests: 13, credits: 44, errors: 1 });
    expect(found.activeAccounts).toBe(2);
    expect(found.accounts).toMatchObject([
      { name: 'a', title: 'name of a', plan: 'free', credits: 30 },
      { name: 'b', title: 'name of b', credits: 14, requests: 10 },
    ]);
    expect(found.operations.map(({ name, requests }) => [name, requests])).toEqual([
      ['eth_call', 12],
      ['cat', 1],
    ]);
    expect(found.services.map(({ name }) => name)).toEqual(['rpc', 'storage']);
    expect(found.networks).toMatchObject([{ name: 'sepolia', requests: 12 }]);
    expect(found.points).toHaveLength(24);
    expect(found.points[0]).toMatchObject({ at: range.from, requests: 4 });
    expect(found.points.at(-1)).toMatchObject({ requests: 9 });
  });

  test('a service without requests has sums of zero', async () => {
    const found = await summarizeService([account('idle')], usageOf([]), range, now);
    expect(found).toMatchObject({ activeAccounts: 0, accounts: [], total: { requests: 0, credits: 0 } });
    expect(found.total.latencyMs.p99).toBeUndefined();
  });

  test('concurrent operators share one reading, and a failed one is repeated', async () => {
    const usage = usageOf([]);
    let accountsRead = 0;
    const auth = {
      accounts: async function* () {
        accountsRead++;
        if (accountsRead === 1) throw new Error('away');
        yield account('a');
      },
    };
    const usages = new ServiceUsages(auth, { usage } as never);
    await expect(usages.of('day')).rejects.toThrow('away');
    await Promise.all([usages.of('day'), usages.of('day')]);
    await usages.of('day');
    expect(usage.asked).toEqual(['a']);
    await usages.of('hour');
    expect(usage.asked).toEqual(['a', 'a']);
  });
});
