import { cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RootStore } from '../root-store.ts';

const rootOf = (text: string) => ({ cid: cidFor(Buffer.from(text), { codec: 'raw' }), bytes: text.length });

/**
 * Contract suite of every {@link RootStore}.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeRootStore(name: string, create: () => Promise<() => Promise<RootStore>>): void {
  describe(`${name} as a RootStore`, () => {
    let open: () => Promise<RootStore>;
    let store: RootStore;
    let other: RootStore;
    beforeEach(async () => {
      open = await create();
      store = await open();
      other = await open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });

    test('get returns nothing for an account without files', async () => {
      expect(await store.get('ann')).toBeUndefined();
      expect(await store.bytesOf('ann')).toBe(0);
    });

    test('a swap is visible through every open handle and outlives its own', async () => {
      expect(await other.get('ann')).toBeUndefined();
      const [one, two] = [rootOf('one'), rootOf('second')];
      await store.swap('ann', undefined, one);
      expect(await other.get('ann')).toEqual(one);
      expect(await other.swap('ann', one.cid, two)).toBe(true);
      await store.close();
      store = await open();
      expect(await store.get('ann')).toEqual(two);
      expect(await store.bytesOf('ann')).toBe(6);
      const former: string[] = [];
      for await (const cid of store.formerRootsOf('ann')) former.push(cid.toString());
      expect(former).toEqual([one.cid.toString()]);
      await store.assertConsistent();
    });

    test('swap replaces a root only if it is the expected one', async () => {
      const [one, two, three] = [rootOf('one'), rootOf('two'), rootOf('three')];
      expect(await store.swap('ann', two.cid, one)).toBe(false);
      expect(await store.swap('ann', undefined, one)).toBe(true);
      expect(await store.swap('ann', undefined, two)).toBe(false);
      expect(await store.swap('ann', two.cid, three)).toBe(false);
      expect((await store.get('ann'))?.cid.toString()).toBe(one.cid.toString());
      expect(await store.swap('ann', one.cid, three)).toBe(true);
      expect(await store.get('ann')).toMatchObject({ bytes: 5 });
      expect(await store.bytesOf('ann')).toBe(5);
    });

    test('formerRootsOf yields the last 4096 replaced roots until they are forgotten', async () => {
      const former = async (account: string) => {
        const cids: string[] = [];
        for await (const cid of store.formerRootsOf(account)) cids.push(cid.toString());
        return cids.sort();
      };
      const [one, two, three] = [rootOf('one'), rootOf('two'), rootOf('three')];
      await store.swap('ann', undefined, one);
      await store.swap('ann2', undefined, two);
      await store.swap('ann', two.cid, three);
      expect(await former('ann')).toEqual([]);
      await store.swap('ann', one.cid, two);
      await store.swap('ann', two.cid, three);
      expect([await former('ann'), await former('ann2')]).toEqual([[`${one.cid}`, `${two.cid}`].sort(), []]);
      await store.forgetFormerRoots('ann', [two.cid, three.cid]);
      expect(await former('ann')).toEqual([`${one.cid}`]);
      const turns = Array.from({ length: 4200 }, (_, turn) => turn % 2 === 0);
      await Promise.all(
        turns.map((isEven) => (isEven ? store.swap('ann', three.cid, two) : store.swap('ann', two.cid, three))),
      );
      expect((await former('ann')).length).toBe(4096);
      expect(await store.get('ann')).toEqual(three);
    });

    test('one of several concurrent swaps from the same root succeeds', async () => {
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) => (n % 2 ? store : other).swap('ann', undefined, rootOf(`${n}`))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    test('rootsOf yields the root of one account, roots those of all', async () => {
      await store.swap('ann', undefined, rootOf('of ann'));
      await store.swap('ann2', undefined, rootOf('of ann2'));
      expect(await store.bytesOf('ann')).toBe(6);
      for await (const cid of store.rootsOf('ann2')) expect(cid.equals(rootOf('of ann2').cid)).toBe(true);
      for await (const cid of store.rootsOf('nobody')) throw new Error(`${cid}`);
      const cids: string[] = [];
      for await (const cid of store.roots()) cids.push(cid.toString());
      expect(cids.sort()).toEqual([rootOf('of ann'), rootOf('of ann2')].map(({ cid }) => cid.toString()).sort());
    });
  });
}
