import { CID } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CollectableBlockstore } from '../collectable.ts';
import { describeClaims } from './describe-claims.ts';
import { rawBlock } from './raw-block.ts';

/**
 * Contract suite of a {@link CollectableBlockstore}, beyond that of a Blockstore. The spec of an adapter is one call.
 * @param create opens a store with the given clock
 */
export function describeCollectable(
  name: string,
  create: (now: () => number) => Promise<CollectableBlockstore> | CollectableBlockstore,
): void {
  describeClaims(name, create);
  describe(`${name} as a CollectableBlockstore`, () => {
    let store: CollectableBlockstore;
    let seconds = 1_000_000;
    beforeEach(async () => {
      seconds = 1_000_000;
      store = await create(() => seconds * 1000);
    });
    afterEach(() => store.close());

    const [a, b, c] = ['a', 'bb', 'ccc'].map(rawBlock) as [Block, Block, Block];
    type Block = ReturnType<typeof rawBlock>;
    const sweep = async (cycle: number, graceSeconds = 0, limit = 2): Promise<CID[]> => {
      const removed: CID[] = [];
      let start: Uint8Array | undefined;
      do {
        const step = await store.sweep({ cycle, graceSeconds, limit, start });
        removed.push(...step.removed);
        start = step.next;
      } while (start !== undefined);
      return removed;
    };
    const put = async (...blocks: Block[]) => {
      await store.putMany(blocks);
      await store.sync();
    };

    test('sweep removes blocks without mark, touch, hold or grace, and calls its listeners', async () => {
      await put(a, b, c);
      const notified: CID[] = [];
      store.onRemoved((cids) => notified.push(...cids));
      const cycle = await store.beginCycle();
      expect((await store.unmarked([a.cid, b.cid], cycle)).length).toBe(2);
      await store.markMany([a.cid, rawBlock('unknown').cid], cycle);
      expect(await store.unmarked([a.cid, b.cid], cycle)).toEqual([b.cid]);
      await store.touchMany([b.cid]);
      expect((await sweep(cycle)).map(String)).toEqual([c.cid.toString()]);
      expect(notified.map(String)).toEqual([c.cid.toString()]);
      expect(await store.stats()).toEqual({ blocks: 2, bytes: 3 });
      await expect(store.get(c.cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
      // Touch and mark count in their own cycle only.
      const next = await store.beginCycle();
      expect((await sweep(next)).length).toBe(2);
      expect(await store.stats()).toEqual({ blocks: 0, bytes: 0 });
    });

    test('leafLengths knows raw blocks, and dag-pb blocks that a writer has declared as leaves', async () => {
      if (store.leafLengths === undefined) return;
      const asNode = ({ cid, bytes }: Block) => ({ cid: CID.createV1(0x70, cid.multihash), bytes });
      const isLeaf = ({ cid }: Block) => cid.equals(asNode(a).cid);
      const lengths = async (...blocks: Block[]) => [
        ...((await store.leafLengths?.(blocks.map(({ cid }) => cid))) ?? []),
      ];
      await store.putMany([a, b].map(asNode), { owner: 1, isLeaf });
      await store.putMany([c], { isLeaf: () => true });
      await store.sync();
      const cbor = { ...a, cid: CID.createV1(0x71, a.cid.multihash) };
      expect(await lengths(a, b, c)).toEqual([1, 2, 3]);
      expect(await lengths(asNode(a), asNode(b), asNode(c), cbor, rawBlock('unknown'))).toEqual([
        1,
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      // Neither another write, nor a touch, a mark or a claim changes it; a later declaration does.
      await store.putMany([asNode(a), asNode(b)], { owner: 2, isLeaf: ({ cid }) => cid.equals(asNode(b).cid) });
      await store.sync();
      await store.touchMany([a.cid, b.cid], { owner: 3 });
      await store.markMany([asNode(a).cid, asNode(b).cid], await store.beginCycle());
      await store.claimMany([a.cid], 1);
      expect(await lengths(asNode(a), asNode(b), asNode(c))).toEqual([1, 2, undefined]);
      await store.quarantine(a.cid);
      expect(await lengths(a, asNode(a))).toEqual([undefined, undefined]);
      await store.putMany([a]);
      await store.sync();
      expect(await lengths(a, asNode(a))).toEqual([1, 1]);
      await store.delete(b.cid);
      expect(await lengths(b, asNode(b))).toEqual([undefined, undefined]);
    });

    test('a raw mark does not mark another codec and does not replace its mark', async () => {
      const node = CID.createV1(0x71, a.cid.multihash);
      await put(a);
      const cycle = await store.beginCycle();
      await store.markMany([a.cid], cycle);
      expect(await store.unmarked([a.cid, node], cycle)).toEqual([node]);
      await store.markMany([node], cycle);
      await store.markMany([a.cid], cycle);
      expect(await store.unmarked([a.cid, node], cycle)).toEqual([]);
      expect(await sweep(cycle)).toEqual([]);
    });

    test('sweep keeps blocks put during its cycle, new and known ones', async () => {
      await put(a);
      const cycle = await store.beginCycle();
      await put(a, b);
      expect(await sweep(cycle)).toEqual([]);
    });

    test('sweep keeps blocks put under a hold that was open when its cycle began', async () => {
      const hold = await store.hold();
      await put(a);
      const cycle = await store.beginCycle();
      expect(await sweep(cycle)).toEqual([]);
      await hold.release();
      await hold.release();
      expect(await sweep(cycle)).toEqual([]);
      expect((await sweep(await store.beginCycle())).length).toBe(1);
      // A released hold does not protect later blocks.
      await put(b);
      expect((await sweep(await store.beginCycle())).length).toBe(1);
    });

    test('sweep keeps blocks put or touched within the grace period', async () => {
      await put(a, b);
      seconds += 100;
      await store.touchMany([b.cid]);
      const cycle = await store.beginCycle();
      expect(await sweep(cycle, 101)).toEqual([]);
      expect((await sweep(cycle, 100)).map(String)).toEqual([a.cid.toString()]);
    });

    test('sweep keeps blocks of one owner and claimed blocks within the grace period, and others within that of the cache', async () => {
      const [own, shared, claimed, held] = ['own', 'shared', 'claimed', 'held'].map(rawBlock) as [
        Block,
        Block,
        Block,
        Block,
      ];
      await put(a, claimed);
      await store.putMany([own, shared], { owner: 7 });
      await store.putMany([shared], { owner: 8 });
      await store.sync();
      await store.claimMany([claimed.cid], 7);
      seconds += 50;
      await store.beginCycle();
      const hold = await store.hold();
      await put(held);
      const cycle = await store.beginCycle();
      const removedBy = async (graceSeconds: number, cacheGraceSeconds: number) => {
        const { removed } = await store.sweep({ cycle, graceSeconds, cacheGraceSeconds, limit: 100 });
        return removed.map(String).sort();
      };
      expect(await removedBy(100, 51)).toEqual([]);
      expect(await removedBy(100, 0)).toEqual([a, shared].map(({ cid }) => String(cid)).sort());
      await hold.release();
      for (const { cid } of [own, claimed, held]) expect(await store.has(cid)).toBe(true);
      expect((await store.claimed(7)).blocks).toBe(1);
    });

    test('sweep refuses a cycle after a later one has begun', async () => {
      await put(a);
      const cycle = await store.beginCycle();
      await store.beginCycle();
      await expect(sweep(cycle)).rejects.toMatchObject({ code: 'CYCLE_OVER' });
      expect(await store.has(a.cid)).toBe(true);
    });

    test('touchMany resolves to the missing blocks in order', async () => {
      await put(b);
      expect((await store.touchMany([c.cid, b.cid, a.cid])).map(String)).toEqual([c, a].map(({ cid }) => `${cid}`));
    });

    test('a quarantined block cannot be read until its bytes are put again', async () => {
      const notified: string[] = [];
      store.onQuarantined((cid) => notified.push(cid.toString()));
      await put(a, b);
      for (const { cid } of [a, a, c]) await store.quarantine(cid);
      expect(notified).toEqual([a.cid.toString()]);
      await expect(store.get(a.cid)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
      await expect(store.size(a.cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
      expect(await store.has(a.cid)).toBe(false);
      expect((await store.touchMany([a.cid, b.cid])).map(String)).toEqual([a.cid.toString()]);
      const listed = async () => {
        const cids: string[] = [];
        for await (const cid of store.quarantined()) cids.push(cid.toString());
        return cids;
      };
      expect(await listed()).toEqual([a.cid.toString()]);
      await put(a);
      expect(Buffer.from(await store.get(a.cid)).toString()).toBe('a');
      expect(await listed()).toEqual([]);
      expect(await store.stats()).toEqual({ blocks: 2, bytes: 3 });
    });

    test('sweep removes exactly the garbage of a model under random commands', async () => {
      const blocks = Array.from({ length: 6 }, (_, n) => rawBlock('x'.repeat(n + 1)));
      const some = fc.subarray(blocks);
      const command = fc.oneof(
        fc.record({ kind: fc.constant('put' as const), some }),
        fc.record({ kind: fc.constant('touch' as const), some }),
        fc.record({ kind: fc.constant('mark' as const), some }),
        fc.record({ kind: fc.constantFrom('hold' as const, 'release' as const, 'begin' as const, 'sweep' as const) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
          for (const { cid } of blocks) await store.delete(cid);
          const model = new Map<string, { touchedIn: number; mark: number }>();
          const holds: { began: number; release: () => Promise<void> }[] = [];
          let cycle = await store.beginCycle();
          let keepFrom = cycle;
          for (const step of commands) {
            if (step.kind === 'put') {
              await put(...step.some);
              for (const { cid } of step.some)
                model.set(`${cid}`, { mark: model.get(`${cid}`)?.mark ?? 0, touchedIn: cycle });
            } else if (step.kind === 'touch') {
              const missing = await store.touchMany(step.some.map(({ cid }) => cid));
              for (const { cid } of step.some) {
                const known = model.get(`${cid}`);
                expect(missing.some((other) => other.equals(cid))).toBe(known === undefined);
                if (known) known.touchedIn = cycle;
              }
            } else if (step.kind === 'mark') {
              await store.markMany(
                step.some.map(({ cid }) => cid),
                cycle,
              );
              for (const { cid } of step.some) Object.assign(model.get(`${cid}`) ?? {}, { mark: cycle });
            } else if (step.kind === 'hold') holds.push({ began: cycle, ...(await store.hold()) });
            else if (step.kind === 'release') await holds.shift()?.release();
            else if (step.kind === 'begin') {
              cycle = await store.beginCycle();
              keepFrom = Math.min(cycle, ...holds.map(({ began }) => began));
            } else {
              const removed = await sweep(cycle);
              for (const [key, { touchedIn, mark }] of model)
                if (mark !== cycle && touchedIn < keepFrom) {
                  model.delete(key);
                  expect(removed.map(String)).toContain(
                    blocks
                      .find(({ cid }) => `${cid}` === key)
                      ?.cid.toV1()
                      .toString(),
                  );
                }
            }
            expect((await store.stats()).blocks).toBe(model.size);
          }
          for (const { release } of holds) await release();
        }),
        { numRuns: 40 },
      );
    });
  });
}
