import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GroupedTransactions } from './grouped-transactions.ts';
import { type Database, Environment } from './index.ts';

let directory: string;
let environment: Environment;
let database: Database;
const bytes = (text: string) => Buffer.from(text);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-grouped-'));
  environment = await Environment.open({ directory, format: { name: 'test', version: 2, seals: { upgradesFrom: 1 } } });
  database = environment.database('things');
});
afterEach(async () => {
  await environment.close();
  rmSync(directory, { recursive: true });
});

/** Adds to a counter; refuses more than 9, before or after the write. */
const adding = (key: string, count: number, refuses: 'first' | 'late') => () => {
  const sum = Number(database.get(bytes(key)) ?? 0) + count;
  if (sum > 9 && refuses === 'first') throw new Error(`refused ${key}`);
  database.put(bytes(key), bytes(String(sum)));
  if (sum > 9) throw new Error(`refused ${key}`);
  return sum;
};

const settled = async (work: readonly Promise<number>[]) =>
  (await Promise.allSettled(work)).map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error).message,
  );

const contents = () => [...database.range()].map(({ key, value }) => `${Buffer.from(key)} ${Buffer.from(value)}`);

describe('grouped transactions', () => {
  test('have the results and the content of single transactions in the same order', async () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      count: fc.integer({ min: 1, max: 6 }),
      refuses: fc.constantFrom('first' as const, 'late' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const clear = () => environment.transaction(() => [...database.keys()].map((key) => database.remove(key)));
        const actions = steps.map(({ key, count, refuses }) => adding(key, count, refuses));
        await clear();
        const grouped = await settled(actions.map((action) => environment.grouped(action)));
        const after = contents();
        await clear();
        const single = await settled(actions.map((action) => environment.transaction(action)));
        expect(grouped).toEqual(single);
        expect(after).toEqual(contents());
      }),
      { numRuns: 40 },
    );
  });

  test('share one commit', async () => {
    let commits = 0;
    const { transaction } = environment;
    environment.transaction = (action) => {
      commits++;
      return transaction.call(environment, action) as Promise<never>;
    };
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => environment.grouped(() => database.put(bytes(`${index}`), bytes('x')))),
    );
    expect(commits).toBe(1);
    expect(database.count()).toBe(50);
  });

  test('request the next transaction during a commit, which takes what waits when it starts', async () => {
    const requested: { readonly start: () => void; readonly commit: () => void }[] = [];
    const transaction = <T>(action: () => T) =>
      new Promise<T>((resolve) => {
        let result: T;
        requested.push({
          start: () => {
            result = action();
          },
          commit: () => resolve(result),
        });
      });
    const groups = new GroupedTransactions({ transaction, writes: () => 0 });
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const first = groups.run(() => 1);
    await nextTurn();
    requested[0]?.start();
    const second = groups.run(() => 2);
    await nextTurn();
    expect(requested).toHaveLength(2);
    const third = groups.run(() => 3);
    requested[0]?.commit();
    expect(await first).toBe(1);
    requested[1]?.start();
    requested[1]?.commit();
    expect(await Promise.all([second, third])).toEqual([2, 3]);
    await nextTurn();
    expect(requested).toHaveLength(2);
  });

  test('refuse an action that returns a promise', async () => {
    await expect(environment.grouped(async () => 1)).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
  });

  test('refuse work after the store was closed', async () => {
    await environment.close();
    await expect(environment.grouped(() => 1)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});
