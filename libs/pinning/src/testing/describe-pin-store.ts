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

/** The contract of every {@link PinStore}: an adapter's spec is one call of this. */
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

    test('keeps pins apart by account, even where one id begins another', async () => {
      await store.put('a', [pinOf('x')]);
      await store.put('ab', [pinOf('y')]);
      expect((await listed('a')).map(({ cid }) => cid.toString())).toEqual([cidOf('x').toString()]);
      expect(await store.get('ab', cidOf('x'))).toBeUndefined();
      expect(await store.usage('a')).toEqual({ pins: 1, bytes: 1 });
      expect(await store.usage('nobody')).toEqual({ pins: 0, bytes: 0 });
    });

    test('replacing a pin changes the usage by the difference', async () => {
      await store.put('a', [pinOf('x', 10)]);
      await store.put('a', [{ ...pinOf('x', 30), name: 'label' }]);
      expect(await store.usage('a')).toEqual({ pins: 1, bytes: 30 });
      expect(await store.get('a', cidOf('x'))).toMatchObject({ name: 'label', size: { bytes: 30 } });
    });

    test('remove takes all or none', async () => {
      await store.put('a', [pinOf('x'), pinOf('yy')]);
      await expect(store.remove('a', [cidOf('x'), cidOf('missing')])).rejects.toMatchObject({
        code: 'PIN_NOT_FOUND',
        details: { cid: cidOf('missing').toString() },
      });
      expect(await store.usage('a')).toEqual({ pins: 2, bytes: 3 });
      await store.remove('a', [cidOf('x'), cidOf('yy')]);
      expect(await store.usage('a')).toEqual({ pins: 0, bytes: 0 });
      expect(await listed('a')).toEqual([]);
    });

    test('remembers complete DAGs for all accounts', async () => {
      expect(await store.complete(cidOf('x'))).toBeUndefined();
      await store.put('a', [pinOf('x', 7)]);
      expect(await store.complete(cidOf('x'))).toEqual({ blocks: 1, bytes: 7 });
      await store.setComplete(cidOf('y'), { blocks: 2, bytes: 9 });
      expect(await store.complete(cidOf('y'))).toEqual({ blocks: 2, bytes: 9 });
      await store.put('a', [{ ...pinOf('z'), mode: 'direct' }]);
      expect(await store.complete(cidOf('z'))).toBeUndefined();
    });

    test('lists across pages, each pin once', async () => {
      await store.put(
        'a',
        Array.from({ length: 700 }, (_, index) => pinOf(`pin ${index}`)),
      );
      await store.put('b', [pinOf('other')]);
      expect(new Set((await listed('a')).map(({ cid }) => cid.toString())).size).toBe(700);
    });

    test('equals a map under random commands of two accounts', async () => {
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
            expect(await store.usage(account)).toEqual({ pins: sizes.length, bytes: sizes.reduce((x, y) => x + y, 0) });
            expect((await listed(account)).length).toBe(sizes.length);
          }
        }),
        { numRuns: 20 },
      );
    });
  });
}
