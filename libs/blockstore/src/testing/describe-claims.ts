import type { CID } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CollectableBlockstore } from '../collectable.ts';
import { rawBlock } from './raw-block.ts';

type Create = (now: () => number) => Promise<CollectableBlockstore> | CollectableBlockstore;

/** Contract suite of the claims of a {@link CollectableBlockstore}. */
export function describeClaims(name: string, create: Create): void {
  describe(`${name} as Claims`, () => {
    let store: CollectableBlockstore;
    let seconds = 1_000_000;
    beforeEach(async () => {
      seconds = 1_000_000;
      store = await create(() => seconds * 1000);
    });
    afterEach(() => store.close());

    const blocks = ['a', 'bb', 'ccc', 'dddd'].map(rawBlock);
    const [a, b, c, d] = blocks.map(({ cid }) => cid) as [CID, CID, CID, CID];
    const put = async (owner: number, ...indexes: number[]) => {
      await store.putMany(
        blocks.filter((_, index) => indexes.includes(index)),
        { owner },
      );
      await store.sync();
    };
    const claimsOf = async (owner: number) => {
      const found: string[] = [];
      for await (const { cid, bytes } of store.claims(owner)) found.push(`${cid} ${bytes}`);
      return found.sort();
    };
    const sweep = async (graceSeconds: number) =>
      await store.sweep({ cycle: await store.beginCycle(), graceSeconds, limit: 100 });

    test('claimed counts each block once per owner until the owner ends the claim', async () => {
      await put(7, 0, 1, 2);
      await store.claimMany([a, c, c, d], 7);
      await store.claimMany([a], 7);
      await store.claimMany([c], 8);
      expect([await store.claimed(7), await store.claimed(8), await store.claimed(9)]).toEqual([
        { blocks: 2, bytes: 4 },
        { blocks: 1, bytes: 3 },
        { blocks: 0, bytes: 0 },
      ]);
      expect([await claimsOf(7), await claimsOf(8)]).toEqual([[`${a} 1`, `${c} 3`].sort(), [`${c} 3`]]);
      expect((await store.claimsAmong([b, c, a], 7)).map(({ cid }) => `${cid}`)).toEqual([`${c}`, `${a}`]);
      await store.unclaimMany([c, b], 7);
      expect([await store.claimed(7), await store.claimed(8)]).toEqual([
        { blocks: 1, bytes: 1 },
        { blocks: 1, bytes: 3 },
      ]);
      expect(await store.has(c)).toBe(true);
    });

    test('claimMany includes all of more blocks than one transaction writes', async () => {
      const many = Array.from({ length: 1500 }, (_, index) => rawBlock(`${index}`.padStart(5, '.')));
      await store.putMany(many, { owner: 7 });
      const claims = store.claimMany(
        many.map(({ cid }) => cid),
        7,
      );
      await Promise.all([store.sync(), claims]);
      expect(await store.claimed(7)).toEqual({ blocks: 1500, bytes: 7500 });
    });

    test('claimMany includes blocks that are not durable yet', async () => {
      const many = Array.from({ length: 40 }, (_, index) => rawBlock(`block ${index}`.padEnd(1000, '.')));
      await Promise.all(
        many.map(async (block) => {
          await store.putMany([block], { owner: 7 });
          await store.claimMany([block.cid], 7);
        }),
      );
      expect(await store.claimed(7)).toEqual({ blocks: 40, bytes: 40_000 });
    });

    test('leftovers of a failed write are listed and not counted', async () => {
      await put(7, 0, 1);
      await store.claimMany([a, b], 7, { isLeftover: true });
      expect([await store.claimed(7), await claimsOf(7)]).toEqual([
        { blocks: 0, bytes: 0 },
        [`${a} 1`, `${b} 2`].sort(),
      ]);
      expect(await store.claimsAmong([b], 7)).toEqual([expect.objectContaining({ bytes: 2, isCounted: false })]);
      await store.claimMany([b], 7);
      await store.claimMany([b], 7, { isLeftover: true });
      expect(await store.claimed(7)).toEqual({ blocks: 1, bytes: 2 });
      await store.unclaimMany([a, b], 7);
      expect([await store.claimed(7), await claimsOf(7)]).toEqual([{ blocks: 0, bytes: 0 }, []]);
      expect(await store.claimsAmong([a, b], 7)).toEqual([]);
    });

    test('a claim ends with its block or after its grace period, even if the block stays', async () => {
      await put(7, 0, 1);
      await store.claimMany([a, b], 7);
      await store.claimMany([b], 8);
      seconds += 100;
      expect((await sweep(101)).removed).toEqual([]);
      expect(await store.claimed(7)).toEqual({ blocks: 2, bytes: 3 });
      await store.claimMany([b], 8);
      await store.touchMany([b], { owner: 8 });
      const { removed } = await sweep(100);
      expect(removed.map(String)).toEqual([`${a}`]);
      expect([await store.claimed(7), await store.claimed(8)]).toEqual([
        { blocks: 0, bytes: 0 },
        { blocks: 1, bytes: 2 },
      ]);
      seconds += 100;
      await put(9, 1);
      expect((await sweep(100)).removed).toEqual([]);
      expect(await store.claimed(8)).toEqual({ blocks: 0, bytes: 0 });
      await store.claimMany([b], 9);
      await store.delete(b);
      expect([await store.claimed(9), await claimsOf(9)]).toEqual([{ blocks: 0, bytes: 0 }, []]);
    });

    test('discardMany removes blocks of one owner only and reports the result of each', async () => {
      const notified: string[] = [];
      store.onRemoved((cids) => notified.push(...cids.map(String)));
      await put(7, 0, 1, 2);
      await put(8, 1);
      await store.touchMany([c], { owner: 8 });
      await store.claimMany([a, b, c], 7);
      await store.claimMany([b], 8);
      const keepFromOfOther = await store.beginDiscard(8);
      expect(await store.discardMany([a], { owner: 8, keepFrom: keepFromOfOther })).toEqual(['shared']);
      const keepFrom = await store.beginDiscard(7);
      const outcomes = await store.discardMany([a, b, c, d], { owner: 7, keepFrom });
      expect(outcomes).toEqual(['removed', 'shared', 'shared', 'absent']);
      expect(notified).toEqual([`${a}`]);
      expect(await Promise.all([a, b, c].map((cid) => store.has(cid)))).toEqual([false, true, true]);
      expect([await store.claimed(7), await store.claimed(8)]).toEqual([
        { blocks: 0, bytes: 0 },
        { blocks: 1, bytes: 2 },
      ]);
      expect(await store.stats()).toEqual({ blocks: 2, bytes: 5 });
    });

    test('discardMany keeps blocks that an open write of the owner may rely on', async () => {
      const other = await store.hold({ owner: 8 });
      await put(7, 0);
      const hold = await store.hold({ owner: 7 });
      await put(7, 1);
      expect(await store.discardMany([a, b], { owner: 7, keepFrom: await store.beginDiscard(7) })).toEqual([
        'busy',
        'busy',
      ]);
      await put(7, 2);
      await hold.release();
      const keepFrom = await store.beginDiscard(7);
      await store.touchMany([b], { owner: 7 });
      expect(await store.discardMany([a, b, c], { owner: 7, keepFrom })).toEqual(['removed', 'busy', 'removed']);
      await other.release();
      expect(await store.discardMany([b], { owner: 7, keepFrom: await store.beginDiscard(7) })).toEqual(['removed']);
    });

    test('discardMany does not end a running collection', async () => {
      await put(7, 0, 1, 2);
      const cycle = await store.beginCycle();
      await store.markMany([b], cycle);
      expect(await store.discardMany([a], { owner: 7, keepFrom: await store.beginDiscard(7) })).toEqual(['removed']);
      expect(await store.cycle()).toBe(cycle);
      await store.touchMany([c], { owner: 7 });
      expect((await store.sweep({ cycle, graceSeconds: 0, limit: 100 })).removed).toEqual([]);
      expect((await sweep(0)).removed).toHaveLength(2);
    });

    test('discardMany keeps blocks stored before disownAll', async () => {
      await put(7, 0);
      await store.disownAll();
      await put(7, 0, 1);
      const keepFrom = await store.beginDiscard(7);
      expect(await store.discardMany([a, b], { owner: 7, keepFrom })).toEqual(['shared', 'removed']);
    });

    test('claimed equals the listed claims under random commands of two owners', async () => {
      const index = fc.nat(blocks.length - 1);
      const command = fc.tuple(
        fc.constantFrom('put', 'claim', 'unclaim', 'discard', 'delete', 'sweep'),
        fc.constantFrom(7, 8),
        index,
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
          const claimed = new Map([7, 8].map((owner) => [owner, new Set<number>()]));
          const here = new Set<number>();
          for (const [kind, owner, n] of commands) {
            const cid = blocks[n]?.cid ?? a;
            const drop = () => {
              here.delete(n);
              for (const set of claimed.values()) set.delete(n);
            };
            if (kind === 'put') {
              await put(owner, n);
              here.add(n);
            } else if (kind === 'claim') {
              await store.claimMany([cid], owner);
              if (here.has(n)) claimed.get(owner)?.add(n);
            } else if (kind === 'unclaim') {
              await store.unclaimMany([cid], owner);
              claimed.get(owner)?.delete(n);
            } else if (kind === 'discard') {
              const keepFrom = await store.beginDiscard(owner);
              const [outcome] = await store.discardMany([cid], { owner, keepFrom });
              claimed.get(owner)?.delete(n);
              if (outcome === 'removed') drop();
              else expect(outcome).toBe(here.has(n) ? 'shared' : 'absent');
            } else if (kind === 'delete') {
              await store.delete(cid);
              drop();
            } else {
              await sweep(0);
              here.clear();
              for (const set of claimed.values()) set.clear();
            }
            for (const [of, set] of claimed) {
              const expected = [...set].map((i) => `${blocks[i]?.cid} ${i + 1}`).sort();
              expect(await claimsOf(of)).toEqual(expected);
              const bytes = [...set].reduce((sum, i) => sum + i + 1, 0);
              expect(await store.claimed(of)).toEqual({ blocks: set.size, bytes });
            }
          }
          for (const { cid } of blocks) await store.delete(cid);
        }),
        { numRuns: 30 },
      );
    });
  });
}
