import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Account, ApiKey } from '../account.ts';
import type { AccountStore } from '../account-store.ts';
import type { AuditEntry } from '../audit.ts';

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

/** In the audit log with every change. */
const entry: AuditEntry = { at: 1, actor: { who: 'test', from: 'here' }, action: 'planted', accountId: 'a' };

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
      await store.insertAccount(account('b', 'Bea'), entry);
      await store.insertAccount(account('a', 'Al'), entry);
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
      await store.insertAccount(account('a', 'same'), entry);
      await expect(store.insertAccount(account('b', 'same'), entry)).rejects.toMatchObject({ code: 'ACCOUNT_EXISTS' });
      expect(await store.account('b')).toBeUndefined();
    });

    test('concurrent changes all count', async () => {
      await store.insertAccount(account('a'), entry);
      await Promise.all(
        Array.from({ length: 20 }, () =>
          store.updateAccount('a', (before) => ({
            account: { ...before, plan: `${before.plan}+` },
            entries: [entry],
          })),
        ),
      );
      expect((await store.account('a'))?.plan).toBe(`free${'+'.repeat(20)}`);
      await expect(store.updateAccount('none', (account) => ({ account, entries: [entry] }))).rejects.toMatchObject({
        code: 'ACCOUNT_NOT_FOUND',
      });
    });

    test('updateAccount logs every entry of a change, and none of one that throws', async () => {
      await store.insertAccount(account('a'), entry);
      const by = (action: string) => ({ ...entry, action });
      await store.updateAccount('a', (before) => ({
        account: { ...before, plan: 'team', quotaBytes: 5 },
        entries: [by('plan'), by('quota')],
      }));
      const fail = () => {
        throw new Error('planted');
      };
      await expect(store.updateAccount('a', fail)).rejects.toThrow('planted');
      expect(await store.account('a')).toMatchObject({ plan: 'team', quotaBytes: 5 });
      const actions = (await collect(store.auditEntries('a'))).map(({ action }) => action);
      expect(actions.slice(0, 2)).toEqual(['quota', 'plan']);
      expect(actions).toHaveLength(3);
    });

    test('keeps the keys of accounts apart', async () => {
      await store.insertKey(key('k1', 'a'), entry);
      await store.insertKey(key('k2', 'ab'), entry);
      await expect(store.insertKey(key('k1', 'ab'), entry)).rejects.toMatchObject({ code: 'KEY_EXISTS' });
      expect((await collect(store.keys('a'))).map(({ id }) => id)).toEqual(['k1']);
      await store.updateKey('k1', (before) => ({ ...before, revokedAt: 5 }), entry);
      expect((await store.key('k1'))?.revokedAt).toBe(5);
      await expect(store.updateKey('none', (before) => before, entry)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    });

    test('a change that throws changes nothing', async () => {
      await store.insertKey(key('k1', 'a'), entry);
      const fail = () => {
        throw new Error('planted');
      };
      await expect(store.updateKey('k1', fail, entry)).rejects.toThrow('planted');
      expect(await store.key('k1')).toMatchObject({ name: 'default' });
    });

    test('every change is in the audit log, the newest first; one that failed is not', async () => {
      const by = (action: string) => ({ ...entry, action });
      await store.insertAccount(account('a'), by('first'));
      await store.insertAccount(account('b'), { ...by('of another'), accountId: 'b' });
      await store.updateAccount('a', (account) => ({ account, entries: [by('second')] }));
      await store.insertKey(key('k1', 'a'), by('third'));
      // A change of a key is one of its account, whatever the caller knew.
      await store.updateKey('k1', (before) => before, { ...by('fourth'), accountId: '' });
      await expect(store.insertAccount(account('c', 'a'), by('refused'))).rejects.toThrow();
      const actions = async (id?: string) => (await collect(store.auditEntries(id))).map(({ action }) => action);
      expect(await actions('a')).toEqual(['fourth', 'third', 'second', 'first']);
      expect(await actions('b')).toEqual(['of another']);
      expect((await actions()).length).toBe(5);
    });
  });
}
