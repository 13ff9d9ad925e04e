import { cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Pin, PinStore } from '../pin-store.ts';

const cidOf = (text: string) => cidFor(new TextEncoder().encode(text), { codec: 'raw' });
const pinOf = (text: string, bytes = text.length): Pin => ({
  cid: cidOf(text),
  mode: 'recursive',
  name: undefined,
  createdAt: 1,
  size: { blocks: 1, bytes },
});

/** Contract suite of a {@link PinStore}. The spec of an adapter is one call. */
export function describePinStore(name: string, create: () => Promise<PinStore>): void {
  describe(`${name} as a PinStore`, () => {
    let store: PinStore;
    beforeEach(async () => {
      store = await create();
    });
    afterEach(() => store.close());

    const listed = async (account: string) => {
      const pins: Pin[] = [];
      for await (const pin of store.list(account)) pins.push(pin);
      return pins;
    };

    test('separates pins by account, even if one id is a prefix of another', async () => {
      await store.put('a', [pinOf('x')]);
      await store.put('ab', [pinOf('y')]);
      expect((await listed('a')).map(({ cid }) => cid.toString())).toEqual([cidOf('x').toString()]);
      expect(await store.get('ab', cidOf('x'))).toBeUndefined();
      for (const cid of [cidOf('x'), cidOf('y')])
        if (store.peek) expect(await store.peek('a', cid)).toEqual(await store.get('a', cid));
      expect(await store.usage('a')).toEqual({ pins: 1, blocks: 1, bytes: 1 });
      expect(await store.usage('unknown')).toEqual({ pins: 0, blocks: 0, bytes: 0 });
    });

    test('replacing a pin changes the usage by the difference', async () => {
      await store.put('a', [pinOf('x', 10)]);
      await store.put('a', [{ ...pinOf('x', 30), name: 'label' }]);
      expect(await store.usage('a')).toEqual({ pins: 1, blocks: 1, bytes: 30 });
      expect(await store.get('a', cidOf('x'))).toMatchObject({ name: 'label', size: { bytes: 30 } });
    });

    test('remove removes all pins or none', async () => {
      await store.put('a', [pinOf('x'), pinOf('yy')]);
      await expect(store.remove('a', [cidOf('x'), cidOf('missing')])).rejects.toMatchObject({
        code: 'PIN_NOT_FOUND',
        details: { cid: cidOf('missing').toString() },
      });
      expect(await store.usage('a')).toEqual({ pins: 2, blocks: 2, bytes: 3 });
      await store.remove('a', [cidOf('x'), cidOf('yy')]);
      expect(await store.usage('a')).toEqual({ pins: 0, blocks: 0, bytes: 0 });
      expect(await listed('a')).toEqual([]);
    });

    test('roots counts accounts by mode, and putKnownRoot pins a root with its known size', async () => {
      const roots = async (mode: Pin['mode'], after?: Pin['cid']) => {
        const list: [string, number, number][] = [];
        for await (const { cid, count, size } of store.roots(mode, after)) list.push([`${cid}`, count, size.bytes]);
        return list;
      };
      const x = `${cidOf('x')}`;
      const { size: _, ...wanted } = pinOf('x');
      expect(await store.putKnownRoot('b', wanted)).toBeUndefined();
      await store.put('a', [pinOf('x', 7)]);
      await store.put('a', [{ ...pinOf('x', 7), name: 'again' }]);
      await store.putKnownRoot('a', wanted);
      expect(await roots('recursive')).toEqual([[x, 1, 7]]);
      expect(await store.putKnownRoot('b', { ...wanted, name: 'mine' })).toMatchObject({
        name: 'mine',
        size: { bytes: 7 },
      });
      expect(await store.usage('b')).toEqual({ pins: 1, blocks: 1, bytes: 7 });
      expect(await roots('recursive')).toEqual([[x, 2, 7]]);
      // A direct pin of the CID is another root, since it retains one block only.
      expect(await store.putKnownRoot('c', { ...wanted, mode: 'direct' })).toBeUndefined();
      await store.put('a', [{ ...pinOf('x', 3), mode: 'direct' }]);
      expect([await roots('recursive'), await roots('direct')]).toEqual([[[x, 1, 7]], [[x, 1, 3]]]);
      await store.remove('b', [cidOf('x')]);
      expect([await roots('recursive'), await roots('direct')]).toEqual([[], [[x, 1, 3]]]);
      expect(await store.putKnownRoot('b', wanted)).toBeUndefined();
      await store.put(
        'a',
        ['p', 'q', 'r'].map((text) => pinOf(text)),
      );
      const [first, ...rest] = await roots('recursive');
      const found = ['p', 'q', 'r'].map(cidOf).find((cid) => `${cid}` === first?.[0]);
      expect(await roots('recursive', found)).toEqual(rest);
    });

    test('released lists roots until they are forgotten, and reports which others pin', async () => {
      const released = async (account: string) => {
        const list: string[] = [];
        for await (const { cid, mode, isPinned } of store.released(account)) list.push(`${mode} ${cid} ${isPinned}`);
        return list.sort();
      };
      const [x, y] = [cidOf('x'), cidOf('y')];
      const { size: _, ...wanted } = pinOf('x');
      expect(await store.isPinned('recursive', x)).toBe(false);
      await store.put('a', [pinOf('x'), pinOf('y')]);
      await store.putKnownRoot('ab', wanted);
      expect(await released('a')).toEqual([]);
      expect([await store.isPinned('recursive', x), await store.isPinned('direct', x)]).toEqual([true, false]);
      await store.remove('a', [x, y]);
      expect(await released('a')).toEqual([`recursive ${x} true`, `recursive ${y} false`].sort());
      expect(await released('ab')).toEqual([]);
      const roots = [x, y].map((cid) => ({ cid, mode: 'recursive' as const }));
      await store.forgetReleased('a', roots);
      expect(await released('a')).toEqual([`recursive ${x} true`]);
      await store.forgetReleasedBefore(Date.now() + 1000);
      expect(await released('a')).toEqual([`recursive ${x} true`]);
      // Pinning the root again ends its release; in the other mode it is another root.
      await store.put('a', [{ ...pinOf('x'), mode: 'direct' }]);
      expect(await released('a')).toEqual([`recursive ${x} true`]);
      await store.put('a', [pinOf('x')]);
      expect(await released('a')).toEqual([`direct ${x} false`]);
      await store.remove('a', [x]);
      await store.remove('ab', [x]);
      await store.forgetReleasedBefore(Date.now() - 60_000);
      expect(await released('a')).toEqual([`direct ${x} false`, `recursive ${x} false`]);
      await store.forgetReleasedBefore(Date.now() + 1000);
      expect([await released('a'), await released('ab')]).toEqual([[], []]);
      expect(await store.hasUntrackedSharing()).toBe(false);
    });

    test('put refuses pins beyond the quota and changes nothing', async () => {
      await store.put('a', [pinOf('x', 60)], { bytesMax: 100 });
      const refused = { code: 'QUOTA_EXCEEDED', details: { usedBytes: 70, addedBytes: 31, quotaBytes: 100 } };
      await expect(store.put('a', [pinOf('y', 31)], { bytesMax: 100, otherBytes: 10 })).rejects.toMatchObject(refused);
      expect(await listed('a')).toEqual([pinOf('x', 60)]);
      expect(await store.usage('a')).toEqual({ pins: 1, blocks: 1, bytes: 60 });
      await store.put('b', [pinOf('y', 31)]);
      const { size: _, ...known } = pinOf('y');
      await expect(store.putKnownRoot('a', known, { bytesMax: 100, otherBytes: 10 })).rejects.toMatchObject(refused);
      await store.put('a', [pinOf('y', 30)], { bytesMax: 100, otherBytes: 10 });
      // A change without growth is accepted, even beyond the quota.
      await store.put('a', [{ ...pinOf('y', 30), name: 'renamed' }], { bytesMax: 1 });
      expect(await store.usage('a')).toEqual({ pins: 2, blocks: 2, bytes: 90 });
    });

    test('names and labels keep every text', async () => {
      for (const [index, text] of ['', 'a\0b', '\ud800', '"\\', 'é', '𝄞'.repeat(200)].entries()) {
        const pin: Pin = { ...pinOf(`${index}`), name: text, addedAs: text };
        await store.put('a', [pin]);
        expect(await store.get('a', pin.cid)).toEqual(pin);
      }
    });

    test('a requested pin leaves a pin of the account its own, also within one call', async () => {
      await store.put('a', [{ ...pinOf('x', 5), name: 'own' }]);
      const requested = { ...pinOf('x', 5), name: 'requested', isRequested: true };
      await store.put('a', [requested]);
      await store.put('b', [{ ...pinOf('x', 5), name: 'own' }, requested]);
      const { size: _, ...known } = requested;
      await store.putKnownRoot('a', known);
      for (const account of ['a', 'b']) {
        const pin = await store.get(account, cidOf('x'));
        expect(pin).toMatchObject({ name: 'own', size: { bytes: 5 } });
        expect(pin).not.toHaveProperty('isRequested');
        expect(await store.usage(account)).toEqual({ pins: 1, blocks: 1, bytes: 5 });
      }
      await store.put('c', [requested]);
      expect(await store.get('c', cidOf('x'))).toMatchObject({ name: 'requested', isRequested: true });
    });

    test('remove refuses a repeated CID and changes nothing', async () => {
      await store.put('a', [pinOf('x'), pinOf('y')]);
      const refused = { code: 'PIN_NOT_FOUND', details: { cid: cidOf('x').toString() } };
      await expect(store.remove('a', ['x', 'y', 'x'].map(cidOf))).rejects.toMatchObject(refused);
      await expect(store.remove('a', ['z', 'x', 'x'].map(cidOf))).rejects.toMatchObject({
        details: { cid: cidOf('z').toString() },
      });
      expect(await store.usage('a')).toMatchObject({ pins: 2 });
      await store.remove('a', []);
      await store.put('a', []);
      expect(await store.usage('a')).toMatchObject({ pins: 2 });
    });

    test('list and roots are in the byte order of CIDs', async () => {
      const bytes = Buffer.from('node');
      const cids = ['p', 'q', 'r', 's'].map(cidOf);
      cids.push(cidFor(bytes, { codec: 'dag-cbor' }), cidFor(bytes, { codec: 'dag-pb' }));
      const version0 = cidFor(bytes, { codec: 'dag-pb' }).toV0();
      await store.put(
        'a',
        [...cids, version0].map((cid) => ({ ...pinOf('p'), cid })),
      );
      const expected = [...cids, version0].sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(String);
      expect((await listed('a')).map(({ cid }) => cid.toString())).toEqual(expected);
      const roots: string[] = [];
      for await (const { cid } of store.roots('recursive')) roots.push(cid.toString());
      expect(roots).toEqual(expected);
    });

    test('concurrent pins fill a quota and never exceed it', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 40 }, (_, index) => store.put('a', [pinOf(`${index}`, 10)], { bytesMax: 205 })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
      expect(await store.usage('a')).toEqual({ pins: 20, blocks: 20, bytes: 200 });
      await store.assertConsistent();
    });

    test('concurrent changes of the same pins leave consistent counts', async () => {
      const texts = ['u', 'v', 'w'];
      const works = Array.from({ length: 90 }, (_value, index) => {
        const text = texts[index % 3] ?? '';
        const account = index % 2 ? 'a' : 'b';
        const { size: _, ...known } = pinOf(text);
        if (index % 5 === 0) return store.remove(account, [cidOf(text)]).catch(() => {});
        if (index % 5 === 1) return store.putKnownRoot(account, known);
        return store.put(account, [{ ...pinOf(text, 7), mode: index % 5 === 2 ? 'direct' : 'recursive' }]);
      });
      await Promise.all(works);
      for (const account of ['a', 'b']) {
        const pins = await listed(account);
        expect(await store.usage(account)).toMatchObject({
          pins: pins.length,
          bytes: pins.reduce((sum, { size }) => sum + size.bytes, 0),
        });
        await store.assertConsistent({ account });
      }
      await store.assertConsistent();
    });

    test('one collector has the lock at a time, and its state is stored', async () => {
      expect(await store.collectionState()).toBeUndefined();
      await store.setCollectionState({ cycle: 3, phase: 'sweep', cursor: 'ff' });
      expect(await store.collectionState()).toEqual({ cycle: 3, phase: 'sweep', cursor: 'ff' });
      const lock = await store.tryLockCollection();
      expect(await store.tryLockCollection()).toBeUndefined();
      expect(await lock?.renew()).toBe(true);
      await lock?.release();
      await (await store.tryLockCollection())?.release();
    });

    test('list returns each pin once, across pages', async () => {
      await store.put(
        'a',
        Array.from({ length: 700 }, (_, index) => pinOf(`pin ${index}`)),
      );
      await store.put('b', [pinOf('other')]);
      expect(new Set((await listed('a')).map(({ cid }) => cid.toString())).size).toBe(700);
    });

    test('behaves as a map under random commands of two accounts', async () => {
      const target = fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('u', 'v', 'w'));
      const command = fc.oneof(
        fc.tuple(fc.constant('put' as const), target, fc.nat(100)),
        fc.tuple(fc.constant('remove' as const), target, fc.constant(0)),
      );
      const model = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
          for (const [kind, [account, text], bytes] of commands) {
            const key = `${account}/${text}`;
            if (kind === 'put') {
              await store.put(account, [pinOf(text, bytes)]);
              model.set(key, bytes);
            } else if (model.delete(key)) await store.remove(account, [cidOf(text)]);
            else await expect(store.remove(account, [cidOf(text)])).rejects.toMatchObject({ code: 'PIN_NOT_FOUND' });
          }
          for (const account of ['a', 'b']) {
            const sizes = [...model].filter(([key]) => key.startsWith(`${account}/`)).map(([, bytes]) => bytes);
            expect(await store.usage(account)).toEqual({
              pins: sizes.length,
              blocks: sizes.length,
              bytes: sizes.reduce((x, y) => x + y, 0),
            });
            expect((await listed(account)).length).toBe(sizes.length);
          }
        }),
        { numRuns: 20 },
      );
    });
  });
}
