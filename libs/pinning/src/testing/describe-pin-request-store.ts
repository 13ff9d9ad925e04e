import { type CID, cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PinStore } from '../pin-store.ts';
import type { PinRequestStore } from '../requests/pin-request-store.ts';
import type { WebhookEvent } from '../webhooks/webhook-store.ts';

/** Store under test. */
export interface PinRequestStoreHarness {
  readonly store: PinRequestStore;
  /** Pins beside the requests. */
  readonly pins: PinStore;
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
    const due = (
      at: number,
      {
        except = [],
        after,
        exceptAccounts = [],
      }: Partial<Record<'except' | 'exceptAccounts', string[]>> & { after?: string } = {},
    ) => store.firstDue({ after, now: at, except: new Set(except), exceptAccounts: new Set(exceptAccounts) });
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
      expect(await store.isReferenced('a', cidOf('x'))).toBe(false);
      expect(await store.openCount()).toBe(0);
    });

    test('a replacement holds the CID of the replaced request until it is final', async () => {
      const one = await add('a', 'x');
      await store.finish(one, { status: 'pinned' });
      const two = await add('a', 'y', one.id);
      const three = await add('a', 'z', two.id);
      expect(three).toMatchObject({ holds: cidOf('x').toString() });
      expect(await store.isReferenced('a', cidOf('x'))).toBe(true);
      expect(await store.isReferenced('a', cidOf('y'))).toBe(false);
      await store.finish(three, { status: 'failed', reason: 'r' });
      expect(await store.isReferenced('a', cidOf('x'))).toBe(false);
      expect(await released()).toContain(cidOf('x').toString());
    });

    test('settleReleased removes a pin that a request created and that no request needs', async () => {
      const pin = (text: string, isRequested: boolean) =>
        harness.pins.put('a', [
          {
            cid: cidOf(text),
            mode: 'recursive',
            name: undefined,
            isRequested,
            createdAt: 1,
            size: { blocks: 1, bytes: 3 },
          },
        ]);
      await pin('requested', true);
      await pin('own', false);
      await pin('needed', true);
      for (const text of ['requested', 'own', 'needed', 'absent']) await store.remove('a', (await add('a', text)).id);
      const needed = await add('a', 'needed');
      for (const entry of await all(store.released())) await store.settleReleased(entry);
      expect(await released()).toEqual([]);
      expect((await all(harness.pins.list('a'))).map(({ cid }) => cid.toString()).sort()).toEqual(
        ['own', 'needed'].map((text) => cidOf(text).toString()).sort(),
      );
      expect(await harness.pins.usage('a')).toEqual({ pins: 2, blocks: 2, bytes: 6 });
      await store.remove('a', needed.id);
      for (const entry of await all(store.released())) await store.settleReleased(entry);
      expect(await harness.pins.usage('a')).toEqual({ pins: 1, blocks: 1, bytes: 3 });
      await harness.pins.assertConsistent();
    });

    test('finish of a removed request releases its pin', async () => {
      const request = await add('a', 'x');
      await store.remove('a', request.id);
      for (const entry of await all(store.released())) await store.settleReleased(entry);
      expect(await store.finish(request, { status: 'pinned' })).toBeUndefined();
      expect(await released()).toEqual([cidOf('x').toString()]);
    });

    test('firstDue follows the times of attempts and skips running requests', async () => {
      now = 1_000;
      const [one, two] = [await add('a', '1'), await add('a', '2')];
      expect(await due(999)).toBeUndefined();
      expect((await due(1_000))?.id).toBe(one.id);
      expect((await due(1_000, { except: [one.id] }))?.id).toBe(two.id);
      await store.finish(one, { status: 'queued', reason: 'r', dueAt: 2_000 });
      expect(await due(1_000, { except: [two.id] })).toBeUndefined();
      expect(await due(2_000, { except: [two.id] })).toMatchObject({ id: one.id, attempts: 1, reason: 'r' });
    });

    test('firstDue walks the accounts with due requests', async () => {
      const ids: Record<string, string> = {};
      for (const account of ['b', 'a', 'ab', 'c']) ids[account] = (await add(account, 'x')).id;
      const last = await store.get('c', ids.c ?? '');
      if (last) await store.finish(last, { status: 'queued', dueAt: 9_000 });
      expect((await due(now))?.id).toBe(ids.a);
      expect((await due(now, { after: 'a' }))?.id).toBe(ids.ab);
      expect((await due(now, { after: 'a', exceptAccounts: ['ab'] }))?.id).toBe(ids.b);
      expect((await due(now, { except: [ids.a ?? ''] }))?.id).toBe(ids.ab);
      expect(await due(now, { after: 'b' })).toBeUndefined();
      expect((await due(9_000, { after: 'b' }))?.id).toBe(ids.c);
    });

    test('concurrent requests of an account keep its limits, counts and order of times', async () => {
      const added = await Promise.all(Array.from({ length: 40 }, (_, index) => add('a', `${index}`)));
      expect(new Set(added.map(({ createdAt }) => createdAt)).size).toBe(40);
      await Promise.all(added.slice(10).map(({ id }) => store.remove('a', id)));
      expect(await store.openCount()).toBe(10);
      expect((await all(store.list('a'))).length).toBe(10);
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
      const event = (...except: string[]) =>
        store.webhooks.firstDue({ now, except: new Set(except), exceptAccounts: new Set() });
      const first = await event();
      const second = first && (await event(first.id));
      const events = [first, second].map((event) => event?.request?.status);
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

    test('a notice waits for the webhook of its account, and is refused without one', async () => {
      const { webhooks } = store;
      const notice = { type: 'usage.threshold', data: { threshold: 80 } };
      expect(await webhooks.notify('a', notice)).toBe(false);
      await webhooks.set('a', { url: 'https://a.example', secret: 's', createdAt: 1 });
      expect([await webhooks.notify('b', notice), await webhooks.notify('a', notice)]).toEqual([false, true]);
      const due = await webhooks.firstDue({ now, except: new Set(), exceptAccounts: new Set() });
      expect(due).toMatchObject({ account: 'a', notice, attempts: 0 });
      expect(due?.request).toBeUndefined();
      await webhooks.settle(due as WebhookEvent, undefined);
      expect(await webhooks.waiting('a')).toBe(0);
    });

    test('webhooks are replaced, count and settle their events, and remove drops all of them', async () => {
      const { webhooks } = store;
      const event = (...except: string[]) =>
        webhooks.firstDue({ now, except: new Set(except), exceptAccounts: new Set() });
      expect(await webhooks.get('a')).toBeUndefined();
      expect(await webhooks.remove('a')).toBe(false);
      const webhook = { url: 'https://a.example', secret: 's', createdAt: 1 };
      await webhooks.set('a', { ...webhook, secret: 'old' });
      await webhooks.set('a', webhook);
      expect(await webhooks.get('a')).toEqual(webhook);
      for (const text of ['x', 'y', 'z']) await store.finish(await add('a', text), { status: 'pinned' });
      await store.finish(await add('b', 'x'), { status: 'pinned' });
      expect([await webhooks.waiting('a'), await webhooks.waiting('b'), await webhooks.waitingCount()]).toEqual([
        3, 0, 3,
      ]);
      const first = await event();
      if (first === undefined) throw new Error('no event is due');
      expect(first).toMatchObject({ account: 'a', attempts: 0, request: { status: 'pinned' } });
      expect(first.request).not.toHaveProperty('key');
      await webhooks.settle(first, { dueAt: now + 5 });
      // An event that moved meanwhile stays as it is.
      await webhooks.settle(first, undefined);
      expect(await webhooks.waiting('a')).toBe(3);
      expect((await event())?.id).not.toBe(first.id);
      now += 5;
      const others: string[] = [];
      for (let next = await event(); next; next = await event(...others)) others.push(next.id);
      expect(others).toContain(first.id);
      const moved = await event(...others.filter((id) => id !== first.id));
      expect(moved).toMatchObject({ id: first.id, attempts: 1 });
      if (moved) await webhooks.settle(moved, undefined);
      expect([await webhooks.waiting('a'), await webhooks.waitingCount()]).toEqual([2, 2]);
      expect(await webhooks.remove('a')).toBe(true);
      expect([await webhooks.waiting('a'), await webhooks.waitingCount()]).toEqual([0, 0]);
      expect(await event()).toBeUndefined();
    });

    test('one process delivers webhooks at a time', async () => {
      const lock = await store.webhooks.tryLockWebhooks();
      expect(await store.webhooks.tryLockWebhooks()).toBeUndefined();
      expect(await lock?.renew()).toBe(true);
      await lock?.release();
      await (await store.webhooks.tryLockWebhooks())?.release();
    });
  });
}
