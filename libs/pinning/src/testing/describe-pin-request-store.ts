import { type CID, cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PinRequestStore } from '../requests/pin-request-store.ts';

/** Store under test. */
export interface PinRequestStoreHarness {
  readonly store: PinRequestStore;
  /** Closes the store and opens it again. */
  reopen(): Promise<PinRequestStore>;
  /** Removes what the store has left. The suite closes the store. */
  remove(): Promise<void>;
}

/** Contract suite of a {@link PinRequestStore}. The spec of an adapter is one call. `now` is the clock of the store. */
export function describePinRequestStore(
  name: string,
  create: (now: () => number) => Promise<PinRequestStoreHarness>,
): void {
  describe(`${name} as a PinRequestStore`, () => {
    let now = 5_000;
    let harness: PinRequestStoreHarness;
    let store: PinRequestStore;
    beforeEach(async () => {
      now = 5_000;
      harness = await create(() => now);
      ({ store } = harness);
    });
    afterEach(async () => {
      await store.close();
      await harness.remove();
    });

    const key = 'key_1';
    const cidOf = (text: string): CID => cidFor(Buffer.from(text), { codec: 'raw' });
    const add = (account: string, text: string, replaces?: string) =>
      store.add(account, { cid: cidOf(text).toString(), key }, replaces === undefined ? {} : { replaces });

    async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
      const values: T[] = [];
      for await (const value of source) values.push(value);
      return values;
    }
    const released = async () => (await all(store.released())).map(({ cid }) => cid.toString());

    test('times of an account rise, also when the clock stands still or is set back', async () => {
      const times: number[] = [];
      for (const time of [5_000, 5_000, 4_000, 6_000]) {
        now = time;
        times.push((await add('a', `${time}`)).createdAt);
      }
      expect(times).toEqual([5_000_000, 5_000_001, 5_000_002, 6_000_000]);
    });

    test('list returns the newest first, in pages, between two times', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 600; index++) ids.push((await add('a', `${index}`)).id);
      await add('b', 'other');
      const listed = await all(store.list('a'));
      expect(listed.map(({ id }) => id)).toEqual([...ids].reverse());
      const at = (index: number) => listed[600 - 1 - index]?.createdAt ?? 0;
      const between = await all(store.list('a', { after: at(10), before: at(13) }));
      expect(between.map(({ id }) => id)).toEqual([ids[12], ids[11]]);
    });

    test('listOf returns the requests for one CID and not those that only hold it', async () => {
      const [one, other] = [await add('a', 'x'), await add('a', 'x')];
      await add('a', 'y', one.id);
      expect((await all(store.listOf('a', cidOf('x')))).map(({ id }) => id)).toEqual([other.id]);
      expect(await all(store.listOf('b', cidOf('x')))).toEqual([]);
    });

    test('remove releases the CID, and refuses unknown ids and those of other accounts', async () => {
      const { id } = await add('a', 'x');
      for (const [account, other] of [
        ['b', id],
        ['a', 'x'],
        ['a', '0'.repeat(32)],
      ] as const)
        await expect(store.remove(account, other)).rejects.toMatchObject({ code: 'PIN_REQUEST_NOT_FOUND' });
      await store.remove('a', id);
      expect(await released()).toEqual([cidOf('x').toString()]);
      expect(store.isReferenced('a', cidOf('x'))).toBe(false);
      expect(store.openCount()).toBe(0);
    });

    test('a replacement holds the CID of the replaced request until it is final', async () => {
      const one = await add('a', 'x');
      await store.finish(one, { status: 'pinned' });
      const two = await add('a', 'y', one.id);
      const three = await add('a', 'z', two.id);
      expect(three).toMatchObject({ holds: cidOf('x').toString() });
      expect(store.isReferenced('a', cidOf('x'))).toBe(true);
      expect(store.isReferenced('a', cidOf('y'))).toBe(false);
      await store.finish(three, { status: 'failed', reason: 'r' });
      expect(store.isReferenced('a', cidOf('x'))).toBe(false);
      expect(await released()).toContain(cidOf('x').toString());
    });

    test('settleReleased keeps a release whose last request was removed meanwhile', async () => {
      const one = await add('a', 'x');
      const two = await add('a', 'x');
      await store.remove('a', one.id);
      const [found] = await all(store.released());
      if (found === undefined) throw new Error('nothing was released');
      await store.remove('a', two.id);
      await store.settleReleased(found, { isNeeded: true });
      expect(await released()).toHaveLength(1);
      await store.settleReleased(found, { isNeeded: false });
      expect(await released()).toEqual([]);
    });

    test('finish of a removed request releases its pin', async () => {
      const request = await add('a', 'x');
      await store.remove('a', request.id);
      for (const entry of await all(store.released())) await store.settleReleased(entry, { isNeeded: false });
      expect(await store.finish(request, { status: 'pinned' })).toBeUndefined();
      expect(await released()).toEqual([cidOf('x').toString()]);
    });

    test('firstDue follows the times of attempts and skips running requests', async () => {
      now = 1_000;
      const [one, two] = [await add('a', '1'), await add('a', '2')];
      expect(store.firstDue('a', 999, new Set())).toBeUndefined();
      expect(store.firstDue('a', 1_000, new Set())?.id).toBe(one.id);
      expect(store.firstDue('a', 1_000, new Set([one.id]))?.id).toBe(two.id);
      await store.finish(one, { status: 'queued', reason: 'r', dueAt: 2_000 });
      expect(store.firstDue('a', 1_000, new Set([two.id]))).toBeUndefined();
      expect(store.firstDue('a', 2_000, new Set([two.id]))).toMatchObject({ id: one.id, attempts: 1, reason: 'r' });
    });

    test('openAccountAfter walks the accounts with open requests', async () => {
      for (const account of ['b', 'a', 'ab']) await add(account, 'x');
      expect(store.openAccountAfter(undefined)).toBe('a');
      expect(store.openAccountAfter('a')).toBe('ab');
      expect(store.openAccountAfter('ab')).toBe('b');
      expect(store.openAccountAfter('b')).toBeUndefined();
    });

    test('requests survive a reopening of the store', async () => {
      const { id } = await add('a', 'x');
      store = await harness.reopen();
      expect(await store.get('a', id)).toMatchObject({ status: 'queued', cid: cidOf('x').toString() });
    });

    test('report records the progress of open requests only', async () => {
      const { id } = await add('a', 'x');
      await store.report('a', id, { blocks: 1, bytes: 2 });
      const request = await store.get('a', id);
      expect(request).toMatchObject({ progress: { blocks: 1, bytes: 2 }, status: 'queued' });
      if (request) await store.finish(request, { status: 'queued', reason: 'r', dueAt: 6_000 });
      expect(await store.get('a', id)).toMatchObject({ progress: { blocks: 1, bytes: 2 }, attempts: 1 });
      if (request) await store.finish(request, { status: 'pinned' });
      expect(await store.get('a', id)).not.toHaveProperty('progress');
      await store.report('a', id, { blocks: 9, bytes: 9 });
      await store.report('a', '0'.repeat(32), { blocks: 9, bytes: 9 });
      expect(await store.get('a', id)).not.toHaveProperty('progress');
    });

    test('a change of a request and its event are one change', async () => {
      await store.webhooks.set('a', { url: 'https://a.example', secret: 's', createdAt: 1 });
      const request = await add('a', 'x');
      await store.begin('a', request.id);
      await store.finish(request, { status: 'failed', reason: 'r' });
      expect(await store.webhooks.waiting('a')).toBe(2);
      store = await harness.reopen();
      const first = store.webhooks.firstDue('a', now, new Set());
      const second = first && store.webhooks.firstDue('a', now, new Set([first.id]));
      const events = [first, second].map((event) => event?.request.status);
      expect(events.sort()).toEqual(['failed', 'pinning']);
    });

    test('secrets of all webhooks, also the previous ones, are replaced and survive a restart', async () => {
      const count = 300;
      for (let n = 0; n < count; n++)
        await store.webhooks.set(`a${n}`, {
          url: 'https://a.example',
          secret: `secret-${n}`,
          createdAt: 1,
          ...(n % 2 === 0 && { previous: { secret: `before-${n}`, until: 9 } }),
        });
      const places = new Set<string>();
      const read = await store.webhooks.changeSecrets((secret, place) => {
        places.add(place);
        return secret;
      });
      expect([read, places.size, places.has('webhook a299')]).toEqual([0, count, true]);
      expect(await store.webhooks.changeSecrets((secret) => `new ${secret}`)).toBe(count * 1.5);
      store = await harness.reopen();
      expect(await store.webhooks.get('a298')).toMatchObject({
        secret: 'new secret-298',
        previous: { secret: 'new before-298', until: 9 },
      });
      expect(await store.webhooks.get('a299')).toEqual({
        url: 'https://a.example',
        secret: 'new secret-299',
        createdAt: 1,
      });
    });
  });
}
