import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Account, ApiKey } from '../account.ts';
import type { AccountStore } from '../account-store.ts';

const account = (id: string, name = id): Account => ({
  id,
  name,
  email: undefined,
  plan: 'free',
  status: 'active',
  card: undefined,
  createdAt: 1,
});
const key = (id: string, accountId: string): ApiKey => ({
  id,
  accountId,
  name: 'default',
  createdAt: 1,
  secrets: [{ salt: '00', hash: '11', expiresAt: undefined }],
  revokedAt: undefined,
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The contract of every {@link AccountStore}: an adapter's spec is one call of this. */
export function describeAccountStore(name: string, create: () => Promise<AccountStore>): void {
  describe(`${name} as an AccountStore`, () => {
    let store: AccountStore;
    beforeEach(async () => {
      store = await create();
    });
    afterEach(() => store.close());

    test('finds accounts by id and by name, and lists them', async () => {
      await store.insertAccount(account('b', 'Bea'));
      await store.insertAccount(account('a', 'Al'));
      expect(await store.account('b')).toEqual({ ...account('b', 'Bea'), email: undefined });
      expect((await store.accountByName('Al'))?.id).toBe('a');
      expect((await collect(store.accounts())).map(({ id }) => id)).toEqual(['a', 'b']);
      for (const absent of ['', 'c', 'x'.repeat(5000)]) {
        expect(await store.account(absent)).toBeUndefined();
        expect(await store.accountByName(absent)).toBeUndefined();
        expect(await store.key(absent)).toBeUndefined();
      }
    });

    test('a second account of the same name is refused and leaves nothing', async () => {
      await store.insertAccount(account('a', 'same'));
      await expect(store.insertAccount(account('b', 'same'))).rejects.toMatchObject({ code: 'ACCOUNT_EXISTS' });
      expect(await store.account('b')).toBeUndefined();
    });

    test('concurrent changes all count', async () => {
      await store.insertAccount(account('a'));
      await Promise.all(
        Array.from({ length: 20 }, () =>
          store.updateAccount('a', (before) => ({ ...before, plan: `${before.plan}+` })),
        ),
      );
      expect((await store.account('a'))?.plan).toBe(`free${'+'.repeat(20)}`);
      await expect(store.updateAccount('none', (before) => before)).rejects.toMatchObject({
        code: 'ACCOUNT_NOT_FOUND',
      });
    });

    test('keeps the keys of accounts apart', async () => {
      await store.insertKey(key('k1', 'a'));
      await store.insertKey(key('k2', 'ab'));
      await expect(store.insertKey(key('k1', 'ab'))).rejects.toMatchObject({ code: 'KEY_EXISTS' });
      expect((await collect(store.keys('a'))).map(({ id }) => id)).toEqual(['k1']);
      await store.updateKey('k1', (before) => ({ ...before, revokedAt: 5 }));
      expect((await store.key('k1'))?.revokedAt).toBe(5);
      await expect(store.updateKey('none', (before) => before)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    });

    test('a change that throws changes nothing', async () => {
      await store.insertKey(key('k1', 'a'));
      const fail = () => {
        throw new Error('planted');
      };
      await expect(store.updateKey('k1', fail)).rejects.toThrow('planted');
      expect(await store.key('k1')).toMatchObject({ name: 'default' });
    });
  });
}
