import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import type { Member, Session } from '../members/member.ts';
import type { MemberStore } from '../members/member-store.ts';
import { account, actionsOf, collect, entry, member, StoreHandles } from './records.ts';

const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  memberId: 'mem_1',
  createdAt: 1_700_000_000_000,
  expiresAt: 1_700_000_001_000,
  ...more,
});
const withTotp = (id: string, secret: string): Member =>
  member(id, { totp: { secret, isConfirmed: true, lastCounter: 57_000_000 } });
const fail = () => {
  throw new Error('planted');
};

/**
 * Contract suite of the {@link MemberStore} of every account store.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeMemberStore(name: string, create: () => Promise<() => Promise<AccountStore>>): void {
  describe(`${name} as a MemberStore`, () => {
    let handles: StoreHandles;
    let accounts: AccountStore;
    let store: MemberStore;
    let other: MemberStore;
    beforeEach(async () => {
      handles = new StoreHandles(await create());
      accounts = await handles.open();
      store = accounts.members;
      other = (await handles.open()).members;
    });
    afterEach(() => handles.closeAll());
    const actions = () => actionsOf(accounts);

    describe('members', () => {
      test('are found by id and by e-mail address, and listed in byte order of their ids', async () => {
        for (const id of ['mem_2', 'mem_10', 'mem_1']) await store.insert(member(id), entry());
        expect(await other.member('mem_2')).toEqual(member('mem_2'));
        expect(await other.byEmail('mem_10@example.org')).toEqual(member('mem_10'));
        expect((await collect(other.list())).map(({ id }) => id)).toEqual(['mem_1', 'mem_10', 'mem_2']);
        for (const absent of ['mem_3', 'mem_2@example.org']) expect(await store.member(absent)).toBeUndefined();
        for (const absent of ['mem_2', 'MEM_2@example.org']) expect(await store.byEmail(absent)).toBeUndefined();
      });

      test('keep every field, and absent fields stay absent', async () => {
        const full = { ...withTotp('mem_1', 'SECRET'), role: 'operator', createdAt: 1_700_000_000_000 } as const;
        await store.insert(full, entry());
        await store.insert(member('mem_2'), entry());
        expect(await other.member('mem_1')).toEqual(full);
        expect(await other.member('mem_2')).toEqual(member('mem_2'));
        await store.update('mem_1', (before) => ({ ...before, totp: undefined }));
        expect((await other.member('mem_1'))?.totp).toBeUndefined();
      });

      test('the role of earlier versions is read as owner', async () => {
        await store.insert({ ...member('mem_1'), role: 'member' as never }, entry());
        expect(await other.member('mem_1')).toEqual(member('mem_1'));
        expect(await other.byEmail('mem_1@example.org')).toEqual(member('mem_1'));
        expect([await collect(other.list()), await other.ofAccount('a')]).toEqual([
          [member('mem_1')],
          [member('mem_1')],
        ]);
        expect(await store.update('mem_1', (before) => before)).toEqual(member('mem_1'));
      });

      test('insert refuses an existing e-mail address and changes nothing', async () => {
        await store.insert(member('mem_1'), entry());
        const twin = member('mem_2', { email: 'mem_1@example.org' });
        await expect(other.insert(twin, entry('refused'))).rejects.toMatchObject({ code: 'MEMBER_EXISTS' });
        expect(await store.member('mem_2')).toBeUndefined();
        expect(await store.byEmail(twin.email)).toMatchObject({ id: 'mem_1' });
        expect(await actions()).toEqual(['planted']);
      });

      test('one of several concurrent inserts of an e-mail address succeeds', async () => {
        const results = await Promise.allSettled(
          Array.from({ length: 10 }, (_, index) =>
            (index % 2 ? store : other).insert(member(`mem_${index}`, { email: 'same@example.org' }), entry()),
          ),
        );
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await collect(store.list())).toHaveLength(1);
        expect(await actions()).toHaveLength(1);
      });

      test('insertAccount inserts the first member with the account, and logs both', async () => {
        await accounts.insertAccount(account('a'), entry('account.create'), member('mem_1'));
        expect(await other.byEmail('mem_1@example.org')).toEqual(member('mem_1'));
        expect(await actions()).toEqual(['member.create', 'account.create']);
      });

      test('insertAccount refuses an existing e-mail address and creates no account', async () => {
        await store.insert(member('mem_1'), entry());
        const twin = member('mem_2', { email: 'mem_1@example.org' });
        await expect(accounts.insertAccount(account('a'), entry('refused'), twin)).rejects.toMatchObject({
          code: 'MEMBER_EXISTS',
        });
        expect(await accounts.account('a')).toBeUndefined();
        expect(await accounts.accountByName('a')).toBeUndefined();
        expect(await actions()).toEqual(['planted']);
      });

      test('update logs its entry for the account of the member, and nothing without an entry', async () => {
        await store.insert(member('mem_1', { accountId: 'b' }), entry('insert', 'b'));
        await store.update('mem_1', (before) => ({ ...before, passwordHash: 'new' }), entry('password', ''));
        await store.update('mem_1', (before) => ({ ...before, role: 'operator' }));
        expect(await other.member('mem_1')).toMatchObject({ passwordHash: 'new', role: 'operator' });
        expect(await actionsOf(accounts, 'b')).toEqual(['password', 'insert']);
      });

      test('update rejects an unknown id with MEMBER_NOT_FOUND', async () => {
        await expect(store.update('none', (before) => before, entry())).rejects.toMatchObject({
          code: 'MEMBER_NOT_FOUND',
        });
        expect(await actions()).toEqual([]);
      });

      test('update changes and logs nothing if the change throws', async () => {
        await store.insert(member('mem_1'), entry());
        await expect(store.update('mem_1', fail, entry('refused'))).rejects.toThrow('planted');
        expect(await store.member('mem_1')).toEqual(member('mem_1'));
        expect(await actions()).toEqual(['planted']);
      });

      test('concurrent updates through two handles are all applied', async () => {
        await store.insert(member('mem_1', { passwordHash: '' }), entry());
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? store : other).update('mem_1', (before) => ({
              ...before,
              passwordHash: `${before.passwordHash}+`,
            })),
          ),
        );
        expect((await store.member('mem_1'))?.passwordHash).toBe('+'.repeat(20));
      });

      test('one of several concurrent uses of a code is accepted', async () => {
        await store.insert(withTotp('mem_1', 'SECRET'), entry());
        const useCode = (before: Member): Member => {
          if (before.totp === undefined || before.totp.lastCounter >= 57_000_001) throw new Error('used before');
          return { ...before, totp: { ...before.totp, lastCounter: 57_000_001 } };
        };
        const results = await Promise.allSettled(
          Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).update('mem_1', useCode)),
        );
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });
    });

    describe('changeOfAccount', () => {
      beforeEach(async () => {
        for (const id of ['mem_2', 'mem_1']) await store.insert(member(id), entry());
        await store.insert(member('mem_3', { accountId: 'b' }), entry('planted', 'b'));
      });

      test('passes the members of the account, replaces one and logs the entry', async () => {
        const seen: string[] = [];
        const change = (members: readonly Member[]) => {
          seen.push(...members.map(({ id }) => id));
          return { put: member('mem_1', { role: 'billing' }), change: { role: 'billing' }, before: { role: 'owner' } };
        };
        await store.changeOfAccount('a', change, entry('changed'));
        const [logged] = await collect(accounts.auditEntries('a'));
        expect(logged).toMatchObject({ action: 'changed', change: { role: 'billing' }, before: { role: 'owner' } });
        expect(seen).toEqual(['mem_1', 'mem_2']);
        expect(await other.ofAccount('a')).toEqual([member('mem_1', { role: 'billing' }), member('mem_2')]);
        expect(await actions()).toContain('changed');
      });

      test('removes one with its address and sessions', async () => {
        await store.putSession(session('s1'));
        await store.putSession(session('s2', { memberId: 'mem_2' }));
        await other.changeOfAccount('a', () => ({ remove: member('mem_1') }), entry('removed'));
        expect([await store.member('mem_1'), await store.byEmail('mem_1@example.org')]).toEqual([undefined, undefined]);
        expect([await store.session('s1'), (await store.session('s2'))?.id]).toEqual([undefined, 's2']);
        await store.insert(member('mem_4', { email: 'mem_1@example.org' }), entry());
        expect((await store.ofAccount('a')).map(({ id }) => id)).toEqual(['mem_2', 'mem_4']);
      });

      test('changes nothing if the change throws', async () => {
        await expect(store.changeOfAccount('a', fail, entry('changed'))).rejects.toThrow('planted');
        expect(await actions()).not.toContain('changed');
      });

      test('concurrent changes of several processes follow each other', async () => {
        const leave = (id: string) => (members: readonly Member[]) => {
          const owners = members.filter(({ role }) => role === 'owner');
          if (owners.length === 1) throw new Error('last owner');
          return { put: member(id, { role: 'billing' }) };
        };
        const results = await Promise.allSettled([
          store.changeOfAccount('a', leave('mem_1'), entry()),
          other.changeOfAccount('a', leave('mem_2'), entry()),
        ]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      });
    });

    describe('changeSecrets', () => {
      test('passes each secret with the id of its member, and counts the changed ones', async () => {
        await store.insert(withTotp('mem_1', 'one'), entry());
        await store.insert(withTotp('mem_2', 'two'), entry());
        await store.insert(member('mem_3'), entry());
        const seen: string[] = [];
        const changed = await store.changeSecrets((secret, id) => {
          seen.push(`${id} ${secret}`);
          return secret === 'one' ? 'sealed one' : secret;
        });
        expect([changed, seen.sort()]).toEqual([1, ['mem_1 one', 'mem_2 two']]);
        expect(await other.member('mem_1')).toEqual(withTotp('mem_1', 'sealed one'));
        expect(await other.member('mem_2')).toEqual(withTotp('mem_2', 'two'));
        expect(await other.member('mem_3')).toEqual(member('mem_3'));
      });

      test('changes nothing if the change throws', async () => {
        await store.insert(withTotp('mem_1', 'one'), entry());
        await store.insert(withTotp('mem_2', 'two'), entry());
        const change = (secret: string) => (secret === 'two' ? fail() : 'changed');
        await expect(store.changeSecrets(change)).rejects.toThrow('planted');
        expect((await store.member('mem_1'))?.totp?.secret).toBe('one');
      });
    });

    describe('sessions', () => {
      test('are put, replaced and removed by id', async () => {
        await store.putSession(session('s1'));
        expect(await other.session('s1')).toEqual(session('s1'));
        await other.putSession(session('s1', { expiresAt: 1_700_000_002_000 }));
        expect((await store.session('s1'))?.expiresAt).toBe(1_700_000_002_000);
        await store.removeSession('s1');
        await store.removeSession('unknown');
        expect(await other.session('s1')).toBeUndefined();
      });

      test('sessionsOf returns those of one member in byte order of their ids', async () => {
        for (const id of ['s2', 's1']) await store.putSession(session(id, { usedAt: 5, client: { address: '::1' } }));
        await store.putSession(session('s3', { memberId: 'mem_10' }));
        const more = { usedAt: 5, client: { address: '::1' } };
        expect(await other.sessionsOf('mem_1')).toEqual([session('s1', more), session('s2', more)]);
        expect(await other.sessionsOf('mem')).toEqual([]);
      });

      test('updateSession changes a session, and none that was removed', async () => {
        for (const id of ['s1', 's2']) await store.putSession(session(id));
        const view = { accountId: 'a', endsAt: 7 };
        await Promise.all([
          store.updateSession('s1', (before) => ({ ...before, view })),
          other.updateSession('s1', (before) => ({ ...before, expiresAt: 1_700_000_005_000 })),
        ]);
        expect(await store.session('s1')).toEqual(session('s1', { view, expiresAt: 1_700_000_005_000 }));
        await store.removeSession('s2');
        await other.updateSession('s2', (before) => before);
        expect(await store.session('s2')).toBeUndefined();
        // Expiry follows the changed time.
        await store.removeExpiredSessions(1_700_000_004_999);
        expect(await store.session('s1')).toBeDefined();
      });

      test('removeSessions removes those of one member only', async () => {
        await store.putSession(session('s1'));
        await store.putSession(session('s2'));
        await store.putSession(session('s3', { memberId: 'mem_10' }));
        await other.removeSessions('mem_1');
        expect(await Promise.all(['s1', 's2'].map((id) => store.session(id)))).toEqual([undefined, undefined]);
        expect(await store.session('s3')).toBeDefined();
      });

      test('removeExpiredSessions removes those that end at the given time or before', async () => {
        for (const expiresAt of [10, 20, 21]) await store.putSession(session(`s${expiresAt}`, { expiresAt }));
        await other.removeExpiredSessions(20);
        expect(await Promise.all(['s10', 's20'].map((id) => store.session(id)))).toEqual([undefined, undefined]);
        expect(await store.session('s21')).toBeDefined();
      });
    });

    test('members and sessions outlive the handle that stored them', async () => {
      await store.insert(member('mem_1'), entry());
      await store.putSession(session('s1'));
      await handles.closeAll();
      accounts = await handles.open();
      expect(await accounts.members.byEmail('mem_1@example.org')).toEqual(member('mem_1'));
      expect(await accounts.members.session('s1')).toEqual(session('s1'));
    });
  });
}
