import { type CID, cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keyOf, regionOf, sectorCount, sectorOf } from '../keyspace.ts';
import type { ProvideStore } from '../provide-store.ts';

const cidOf = (text: string): CID => cidFor(new TextEncoder().encode(text), { codec: 'raw' });
const keyOfCid = (cid: CID) => keyOf(cid.multihash.bytes);
const everything = regionOf(new Uint8Array(32), 0);

/** Contract suite of a {@link ProvideStore}. The spec of an adapter is one call. */
export function describeProvideStore(name: string, create: () => Promise<ProvideStore>): void {
  describe(`${name} as a ProvideStore`, () => {
    let store: ProvideStore;
    beforeEach(async () => {
      store = await create();
    });
    afterEach(() => store.close());

    test('add stores a CID once and makes it due immediately', async () => {
      const cid = cidOf('a');
      expect(await store.add([cid, cid])).toBe(1);
      expect(await store.add([cid])).toBe(0);
      const record = await store.firstDue(sectorOf(keyOfCid(cid)));
      expect(record).toEqual({
        key: expect.anything(),
        multihash: expect.anything(),
        dueAt: 0,
        failures: 0,
      });
      expect(await store.counts()).toEqual({ records: 1, waiting: 1 });
    });

    test('a new record with a later time follows those that are due before it', async () => {
      const key = (cid: CID) => Buffer.from(keyOfCid(cid)).toString('hex');
      // Keys of one sector, in their order.
      const [first, second] = Array.from({ length: 100 }, (_, at) => cidOf(`${at}`))
        .filter((cid) => sectorOf(keyOfCid(cid)) === 3)
        .sort((one, other) => (key(one) < key(other) ? -1 : 1));
      if (first === undefined || second === undefined) throw new Error('The sector has no two keys.');
      await store.add([first], { dueAt: 1 });
      await store.add([second]);
      expect(await store.firstDue(3)).toMatchObject({ dueAt: 0 });
      await store.remove([second]);
      expect(await store.firstDue(3)).toMatchObject({ dueAt: 1 });
      expect(await store.counts()).toEqual({ records: 1, waiting: 1 });
    });

    test('CIDs with one multihash share a record until the last one is removed', async () => {
      const raw = cidOf('a');
      const other = raw.constructor as unknown as { createV1(codec: number, digest: CID['multihash']): CID };
      const cbor = other.createV1(0x71, raw.multihash);
      expect(await store.add([raw, cbor])).toBe(1);
      expect((await store.cidsOf(keyOfCid(raw))).map(String).sort()).toEqual([raw, cbor].map(String).sort());
      expect(await store.remove([raw, raw])).toBe(0);
      expect([await store.has(raw), await store.has(cbor)]).toEqual([false, true]);
      expect(await store.remove([cbor])).toBe(1);
      expect(await store.counts()).toEqual({ records: 0, waiting: 0 });
      expect(await store.firstDue(sectorOf(keyOfCid(raw)))).toBeUndefined();
    });

    test('settle keeps the time of the last announcement when an attempt fails', async () => {
      const key = keyOfCid(cidOf('a'));
      await store.add([cidOf('a')]);
      await store.settle([{ key, dueAt: 500, failures: 0, announcedAt: 100 }]);
      await store.settle([{ key, dueAt: 600, failures: 1 }]);
      expect(await store.get(key)).toMatchObject({ announcedAt: 100, dueAt: 600, failures: 1 });
      expect(await store.counts()).toEqual({ records: 1, waiting: 0, oldestAt: 100 });
    });

    test('settle does not restore a removed record', async () => {
      const key = keyOfCid(cidOf('a'));
      await store.add([cidOf('a')]);
      await store.remove([cidOf('a')]);
      await store.settle([{ key, dueAt: 500, failures: 0, announcedAt: 100 }]);
      expect(await store.counts()).toEqual({ records: 0, waiting: 0 });
      expect(await store.get(key)).toBeUndefined();
    });

    test('inRegion pages through a region in the order of the keyspace', async () => {
      const cids = Array.from({ length: 300 }, (_, at) => cidOf(`${at}`));
      await store.add(cids);
      for (const bits of [0, 1, 3, 8, 9]) {
        const region = regionOf(keyOfCid(cidOf('7')), bits);
        const found: Buffer[] = [];
        for (let after: Uint8Array | undefined; ; ) {
          const page = await store.inRegion(region, { after, limit: 7 });
          found.push(...page.map(({ key }) => Buffer.from(key)));
          after = page.at(-1)?.key;
          if (page.length < 7) break;
        }
        const keys = cids.map((cid) => Buffer.from(keyOfCid(cid)));
        const expected = keys.filter((key) => regionOf(key, bits).start.every((byte, at) => byte === region.start[at]));
        expect(found).toEqual(expected.sort(Buffer.compare));
      }
    });

    test('any changes leave the store equal to its model', async () => {
      const cids = Array.from({ length: 12 }, (_, at) => cidOf(`model ${at}`));
      const index = fc.nat({ max: cids.length - 1 });
      const change = fc.oneof(
        fc.record({ type: fc.constant('add' as const), at: index }),
        fc.record({ type: fc.constant('remove' as const), at: index }),
        fc.record({ type: fc.constant('settle' as const), at: index, time: fc.nat({ max: 1000 }), ok: fc.boolean() }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
          await store.remove(cids);
          const model = new Map<number, { dueAt: number; announcedAt?: number }>();
          for (const step of changes) {
            const cid = cids[step.at] as CID;
            if (step.type === 'add') {
              await store.add([cid]);
              if (!model.has(step.at)) model.set(step.at, { dueAt: 0 });
            } else if (step.type === 'remove') {
              await store.remove([cid]);
              model.delete(step.at);
            } else {
              const announced = step.ok ? { announcedAt: step.time + 1 } : {};
              const settled = { dueAt: step.time + 5, ...announced };
              await store.settle([{ key: keyOfCid(cid), failures: step.ok ? 0 : 1, ...settled }]);
              const before = model.get(step.at);
              if (before) model.set(step.at, { ...before, ...settled });
            }
          }
          const stored = await store.inRegion(everything, { limit: 100 });
          expect(stored).toHaveLength(model.size);
          for (const [at, expected] of model)
            expect(await store.get(keyOfCid(cids[at] as CID))).toMatchObject(expected);
          const times = [...model.values()].flatMap(({ announcedAt }) => announcedAt ?? []);
          expect(await store.counts()).toEqual({
            records: model.size,
            waiting: model.size - times.length,
            ...(times.length > 0 && { oldestAt: Math.min(...times) }),
          });
          for (let sector = 0; sector < sectorCount; sector++) {
            const due = [...model].filter(([at]) => sectorOf(keyOfCid(cids[at] as CID)) === sector);
            const first = await store.firstDue(sector);
            expect(first?.dueAt).toBe(due.length === 0 ? undefined : Math.min(...due.map(([, { dueAt }]) => dueAt)));
          }
        }),
        { numRuns: 50 },
      );
    });
  });
}
