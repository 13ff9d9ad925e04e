import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AccountStore } from '../account-store.ts';
import type { MemberToken } from '../members/member-token.ts';
import type { MemberTokenStore } from '../members/member-token-store.ts';
import { StoreHandles } from './records.ts';

const token = (id: string, more: Partial<MemberToken> = {}): MemberToken => ({
  id,
  kind: 'password-reset',
  subject: 'mem_1',
  email: 'mem_1@example.org',
  createdAt: 1_700_000_000_000,
  expiresAt: 1_700_000_001_000,
  ...more,
});

/**
 * Contract suite of the {@link MemberTokenStore} of every account store.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeMemberTokenStore(name: string, create: () => Promise<() => Promise<AccountStore>>): void {
  describe(`${name} as a MemberTokenStore`, () => {
    let handles: StoreHandles;
    let store: MemberTokenStore;
    let other: MemberTokenStore;
    beforeEach(async () => {
      handles = new StoreHandles(await create());
      store = (await handles.open()).members.tokens;
      other = (await handles.open()).members.tokens;
    });
    afterEach(() => handles.closeAll());
    const idsOf = async (kind: MemberToken['kind'], subject: string) =>
      (await store.of(kind, subject)).map(({ id }) => id);

    test('put inserts a token that every process reads, and replaces the token of the same id', async () => {
      await store.put(token('t1'));
      expect(await other.get('t1')).toEqual(token('t1'));
      await other.put(token('t1', { subject: 'mem_2' }));
      expect(await store.get('t1')).toEqual(token('t1', { subject: 'mem_2' }));
      expect([await idsOf('password-reset', 'mem_1'), await idsOf('password-reset', 'mem_2')]).toEqual([[], ['t1']]);
      expect(await store.get('unknown')).toBeUndefined();
    });

    test('take returns a token once, also to concurrent processes', async () => {
      await store.put(token('t1'));
      const taken = await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).take('t1')));
      expect(taken.filter((found) => found !== undefined)).toEqual([token('t1')]);
      expect(await other.get('t1')).toBeUndefined();
      expect(await idsOf('password-reset', 'mem_1')).toEqual([]);
      expect(await store.take('unknown')).toBeUndefined();
    });

    test('of and removeOf select one kind and one subject', async () => {
      const others = [
        token('t3', { kind: 'email-verification' }),
        token('t4', { subject: 'mem_10' }),
        token('t5', { subject: 'mem_' }),
      ];
      for (const one of [token('t2'), token('t1'), ...others]) await store.put(one);
      expect(await other.of('password-reset', 'mem_1')).toEqual([token('t1'), token('t2')]);
      await other.removeOf('password-reset', 'mem_1');
      expect(await idsOf('password-reset', 'mem_1')).toEqual([]);
      expect(await Promise.all(['t1', 't2'].map((id) => store.get(id)))).toEqual([undefined, undefined]);
      expect(await Promise.all(others.map(({ id }) => store.get(id)))).toEqual(others);
    });

    test('removeExpired removes tokens that end at the given time or before', async () => {
      for (const expiresAt of [10, 20, 21]) await store.put(token(`t${expiresAt}`, { expiresAt }));
      await other.removeExpired(20);
      expect(await idsOf('password-reset', 'mem_1')).toEqual(['t21']);
    });

    test('tokens outlive the handle that stored them', async () => {
      await store.put(token('t1'));
      await handles.closeAll();
      expect(await (await handles.open()).members.tokens.get('t1')).toEqual(token('t1'));
    });
  });
}
