import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Account, ApiKey } from '../account.ts';
import type { AccountStore } from '../account-store.ts';
import type { AuditEntry } from '../audit.ts';
import { account, actionsOf, apiKey, collect, entry, member, StoreHandles } from './records.ts';

const fullAccount: Account = {
  ...account('full', 'größer – "x"'),
  email: 'full@example.org',
  plan: 'team',
  status: 'suspended',
  card: { brand: 'visa', last4: '0042', attachedAt: 1_700_000_000_000 },
  quotaBytes: 2 ** 50,
  servesPeers: true,
  createdAt: 1_700_000_000_001,
};
const fullKey: ApiKey = {
  ...apiKey('full-key', 'full'),
  name: 'deploy',
  secrets: [
    { salt: 'ab', hash: 'cd', expiresAt: undefined },
    { salt: 'ef', hash: '01', expiresAt: 5 },
  ],
  revokedAt: 6,
  policy: { storage: ['read', 'add'], networks: [], methods: ['eth_*'], addresses: ['10.0.0.0/8'] },
  expiresAt: 1_800_000_000_000,
};
const fullEntry: AuditEntry = {
  at: 1_700_000_000_002,
  actor: { who: 'ann@example.org', from: '192.0.2.1' },
  action: 'key.limit',
  accountId: 'full',
  keyId: 'full-key',
  change: { policy: { methods: ['eth_call'] }, expiresAt: 5 },
};
const fail = () => {
  throw new Error('planted');
};

/**
 * Contract suite of every {@link AccountStore}, including its audit log.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeAccountStore(name: string, create: () => Promise<() => Promise<AccountStore>>): void {
  describe(`${name} as an AccountStore`, () => {
    let handles: StoreHandles;
    let store: AccountStore;
    let other: AccountStore;
    beforeEach(async () => {
      handles = new StoreHandles(await create());
      store = await handles.open();
      other = await handles.open();
    });
    afterEach(() => handles.closeAll());

    describe('accounts', () => {
      test('are found by id and by name, and listed in byte order of their ids', async () => {
        await store.insertAccount(account('b', 'Bea'), entry());
        await store.insertAccount(account('a', 'Al'), entry());
        expect(await store.account('b')).toEqual(account('b', 'Bea'));
        expect((await store.accountByName('Al'))?.id).toBe('a');
        expect((await collect(store.accounts())).map(({ id }) => id)).toEqual(['a', 'b']);
        for (const absent of ['', 'c', 'al', 'x'.repeat(5000)]) {
          expect(await store.account(absent)).toBeUndefined();
          expect(await store.accountByName(absent)).toBeUndefined();
          expect(await store.key(absent)).toBeUndefined();
        }
      });

      test('keep every field, and absent fields stay absent', async () => {
        await store.insertAccount(fullAccount, entry());
        expect(await other.account('full')).toEqual(fullAccount);
        await store.updateAccount('full', () => ({ account: { ...account('full', fullAccount.name) }, entries: [] }));
        expect(await other.account('full')).toEqual(account('full', fullAccount.name));
      });

      test('insertAccount refuses an existing name and changes nothing', async () => {
        await store.insertAccount(account('a', 'same'), entry());
        const owner = member('mem_1');
        await expect(other.insertAccount(account('b', 'same'), entry('refused'), owner)).rejects.toMatchObject({
          code: 'ACCOUNT_EXISTS',
        });
        expect(await store.account('b')).toBeUndefined();
        expect(await store.members.byEmail(owner.email)).toBeUndefined();
        expect(await actionsOf(store)).toEqual(['planted']);
      });

      test('one of several concurrent inserts of a name succeeds', async () => {
        const results = await Promise.allSettled(
          Array.from({ length: 10 }, (_, index) =>
            (index % 2 ? store : other).insertAccount(account(`id-${index}`, 'same'), entry()),
          ),
        );
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await collect(store.accounts())).toHaveLength(1);
      });

      test('concurrent updates through two handles are all applied', async () => {
        await store.insertAccount(account('a'), entry());
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? store : other).updateAccount('a', (before) => ({
              account: { ...before, plan: `${before.plan}+` },
              entries: [entry()],
            })),
          ),
        );
        expect((await store.account('a'))?.plan).toBe(`free${'+'.repeat(20)}`);
        expect(await actionsOf(store, 'a')).toHaveLength(21);
      });

      test('updateAccount rejects an unknown id with ACCOUNT_NOT_FOUND', async () => {
        const change = (before: Account) => ({ account: before, entries: [entry()] });
        await expect(store.updateAccount('none', change)).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
        expect(await actionsOf(store)).toEqual([]);
      });

      test('updateAccount logs every entry of a change, and none of one that throws', async () => {
        await store.insertAccount(account('a'), entry());
        await store.updateAccount('a', (before) => ({
          account: { ...before, plan: 'team', quotaBytes: 5 },
          entries: [entry('plan'), entry('quota')],
        }));
        await expect(store.updateAccount('a', fail)).rejects.toThrow('planted');
        expect(await store.account('a')).toMatchObject({ plan: 'team', quotaBytes: 5 });
        expect(await actionsOf(store, 'a')).toEqual(['quota', 'plan', 'planted']);
      });
    });

    describe('keys', () => {
      test('keep every field, and absent fields stay absent', async () => {
        await store.insertKey(fullKey, entry());
        await store.insertKey(apiKey('k', 'full'), entry());
        expect(await other.key('full-key')).toEqual(fullKey);
        expect(await other.key('k')).toEqual(apiKey('k', 'full'));
      });

      test('are listed by account in byte order of their ids', async () => {
        for (const id of ['k2', 'k10', 'k1']) await store.insertKey(apiKey(id, 'a'), entry());
        await store.insertKey(apiKey('k3', 'ab'), entry());
        expect((await collect(other.keys('a'))).map(({ id }) => id)).toEqual(['k1', 'k10', 'k2']);
        expect(await collect(other.keys('none'))).toEqual([]);
      });

      test('insertKey refuses an existing id, also of another account, and changes nothing', async () => {
        await store.insertKey(apiKey('k1', 'a'), entry());
        await expect(other.insertKey(apiKey('k1', 'ab'), entry('refused'))).rejects.toMatchObject({
          code: 'KEY_EXISTS',
        });
        expect((await store.key('k1'))?.accountId).toBe('a');
        expect(await collect(store.keys('ab'))).toEqual([]);
        expect(await actionsOf(store)).toEqual(['planted']);
      });

      test('updateKey replaces a key, and rejects an unknown id with KEY_NOT_FOUND', async () => {
        await store.insertKey(apiKey('k1', 'a'), entry());
        await store.updateKey('k1', (before) => ({ ...before, revokedAt: 5 }), entry());
        expect((await store.key('k1'))?.revokedAt).toBe(5);
        // The entry of a change may depend on the key before it.
        const change = ({ revokedAt }: ApiKey) => ({ ...entry('from the key'), before: { revokedAt } });
        await other.updateKey('k1', (before) => ({ ...before, revokedAt: 6 }), change);
        const [logged] = await collect(store.auditEntries('a'));
        expect(logged).toMatchObject({ action: 'from the key', before: { revokedAt: 5 } });
        await expect(store.updateKey('none', (before) => before, entry())).rejects.toMatchObject({
          code: 'KEY_NOT_FOUND',
        });
      });

      test('updateKey changes and logs nothing if the change throws', async () => {
        await store.insertKey(apiKey('k1', 'a'), entry());
        await expect(store.updateKey('k1', fail, entry('refused'))).rejects.toThrow('planted');
        expect(await store.key('k1')).toEqual(apiKey('k1', 'a'));
        expect(await actionsOf(store)).toEqual(['planted']);
      });
    });

    describe('changes', () => {
      test('apply to the next read of another handle', async () => {
        await store.insertAccount(account('a'), entry());
        await store.insertKey(apiKey('k1', 'a'), entry());
        expect(await other.account('a')).toMatchObject({ status: 'active' });
        expect(await other.key('k1')).toEqual(apiKey('k1', 'a'));
        await store.updateAccount('a', (before) => ({ account: { ...before, status: 'suspended' }, entries: [] }));
        await store.updateKey('k1', (before) => ({ ...before, revokedAt: 5 }), entry());
        expect(await other.account('a')).toMatchObject({ status: 'suspended' });
        expect(await other.accountByName('a')).toMatchObject({ status: 'suspended' });
        expect(await other.key('k1')).toMatchObject({ revokedAt: 5 });
      });

      test('outlive the handle that made them', async () => {
        await store.insertAccount(account('a'), entry());
        await store.insertKey(apiKey('k1', 'a'), entry());
        await handles.closeAll();
        store = await handles.open();
        expect(await store.account('a')).toEqual(account('a'));
        expect(await store.key('k1')).toEqual(apiKey('k1', 'a'));
        expect(await actionsOf(store)).toHaveLength(2);
      });
    });

    describe('the audit log', () => {
      test('keeps every field of an entry', async () => {
        await store.insertKey(fullKey, fullEntry);
        expect(await collect(other.auditEntries())).toEqual([fullEntry]);
      });

      test('has every change, the newest first, and no failed one', async () => {
        await store.insertAccount(account('a'), entry('first'));
        await store.insertAccount(account('b'), entry('of another', 'b'));
        await store.updateAccount('a', (before) => ({ account: before, entries: [entry('second')] }));
        await store.insertKey(apiKey('k1', 'a'), entry('third'));
        // The entry of a key change belongs to the account of the key, also if the caller does not know it.
        await store.updateKey('k1', (before) => before, { ...entry('fourth'), accountId: '' });
        await expect(store.insertAccount(account('c', 'a'), entry('refused'))).rejects.toThrow();
        expect(await actionsOf(store, 'a')).toEqual(['fourth', 'third', 'second', 'first']);
        expect(await actionsOf(store, 'b')).toEqual(['of another']);
        expect(await actionsOf(store)).toHaveLength(5);
      });

      test('is ordered by transactions, not by the times of entries', async () => {
        for (const at of [5, 1, 9]) await store.insertKey(apiKey(`k${at}`, 'a'), { ...entry(`at ${at}`), at });
        expect(await actionsOf(store)).toEqual(['at 9', 'at 1', 'at 5']);
      });
    });

    test('changeSharedText gives each change the result of the one before', async () => {
      const append = (handle: AccountStore, letter: string) =>
        handle.changeSharedText('letters', (text = '') => `${text}${letter}`);
      await Promise.all([...'abcdef'].map((letter, at) => append(at % 2 === 0 ? store : other, letter)));
      const text = await other.changeSharedText('letters', (known = '') => known);
      expect([...text].sort().join('')).toBe('abcdef');
      expect(await store.changeSharedText('service', (known) => known ?? 'another name')).toBe('another name');
      expect(await store.serviceSecret()).toHaveLength(32);
      const failing = store.changeSharedText('letters', () => {
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await store.changeSharedText('letters', (known = '') => known)).toBe(text);
    });

    test('serviceSecret is the same 32 bytes in every handle, also when created concurrently', async () => {
      const secrets = await Promise.all([store, other, store, other].map((handle) => handle.serviceSecret()));
      expect(new Set(secrets.map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(1);
      expect(secrets[0]).toHaveLength(32);
      const elsewhere = await (await create())();
      try {
        expect(Buffer.from(await elsewhere.serviceSecret())).not.toEqual(Buffer.from(secrets[0] ?? []));
      } finally {
        await elsewhere.close();
      }
    });
  });
}
