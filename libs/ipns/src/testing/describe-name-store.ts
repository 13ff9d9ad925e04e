import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createIpnsRecord } from '../create-record.ts';
import { limits } from '../limits.ts';
import { generateIpnsKey, type IpnsKey } from '../private-key.ts';
import { publishName } from '../publish-name.ts';
import type { NameStore, StoredKey } from '../store/name-store.ts';

export interface NameStoreClock {
  nowMs: number;
}

/**
 * Contract suite of every {@link NameStore}.
 *
 * @param create creates an empty store with the given clock and returns a function that opens a handle on it. Each handle
 * stands for one process.
 */
export function describeNameStore(
  name: string,
  create: (clock: NameStoreClock) => Promise<() => Promise<NameStore>>,
): void {
  describe(`${name} as a NameStore`, () => {
    const clock: NameStoreClock = { nowMs: 0 };
    let open: () => Promise<NameStore>;
    let store: NameStore;
    let other: NameStore;
    let key: IpnsKey;
    beforeEach(async () => {
      clock.nowMs = Date.parse('2026-01-01T00:00:00Z');
      open = await create(clock);
      store = await open();
      other = await open();
      key = await generateIpnsKey({ type: 'ed25519' });
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });

    const stored = (label: string, of = key): StoredKey => ({
      label,
      name: of.name,
      type: of.type,
      sealed: `of ${label}`,
    });
    const record = (sequence: bigint, { hours = 1, value = '/ipfs/a', of = key } = {}) =>
      createIpnsRecord(of, { value, sequence, validUntilMs: clock.nowMs + hours * 3_600_000, ttlNs: 0n });
    const publish = (value: string, { in: records = store.records, account = 'ann', hours = 1 } = {}) =>
      publishName(records, { account, key, value, lifetimeMs: hours * 3_600_000, ttlNs: 0n, nowMs: () => clock.nowMs });

    describe('keys', () => {
      const labels = async (account: string) => (await other.keys.list(account)).map(({ label }) => label);

      test('belong to one account and outlive their handle', async () => {
        await store.keys.add('ann', stored('one'));
        await store.keys.add('ann2', stored('a\0b'));
        await store.close();
        store = await open();
        const found = await store.keys.get('ann', 'one');
        expect(found).toMatchObject({ label: 'one', type: 'ed25519', sealed: 'of one' });
        expect(found?.name.equals(key.name)).toBe(true);
        expect(await store.keys.get('ann2', 'one')).toBeUndefined();
        expect([await labels('ann'), await labels('ann2')]).toEqual([['one'], ['a\0b']]);
        await store.assertConsistent();
      });

      test('have one label each', async () => {
        await store.keys.add('ann', stored('one'));
        await expect(other.keys.add('ann', stored('one'))).rejects.toMatchObject({ code: 'IPNS_KEY_EXISTS' });
        await store.keys.add('ann', stored('two'));
        const renaming = (from: string, to: string, isForced = false) =>
          store.keys.rename('ann', { from, to, isForced });
        await expect(renaming('one', 'two')).rejects.toMatchObject({ code: 'IPNS_KEY_EXISTS' });
        await expect(renaming('none', 'two')).rejects.toMatchObject({ code: 'IPNS_KEY_UNKNOWN' });
        expect(await renaming('one', 'one')).toMatchObject({ isReplaced: false });
        expect(await renaming('one', 'two', true)).toMatchObject({ isReplaced: true, key: { sealed: 'of one' } });
        expect(await renaming('two', 'three')).toMatchObject({ isReplaced: false });
        expect(await labels('ann')).toEqual(['three']);
      });

      test('that are removed are gone', async () => {
        await store.keys.add('ann', stored('one'));
        expect(await store.keys.remove('ann', 'one')).toMatchObject({ label: 'one' });
        await expect(store.keys.remove('ann', 'one')).rejects.toMatchObject({ code: 'IPNS_KEY_UNKNOWN' });
        expect(await labels('ann')).toEqual([]);
      });

      test('are limited per account', async () => {
        // A few at a time: each one waits for the lock of the account, and for a connection only as long as the pool allows.
        const adds = 10;
        const keysOf = async (first: number) => {
          for (let at = first; at < limits.keysPerAccountMax; at += adds) await store.keys.add('ann', stored(`${at}`));
        };
        await Promise.all(Array.from({ length: adds }, (_, first) => keysOf(first)));
        await expect(store.keys.add('ann', stored('more'))).rejects.toMatchObject({ code: 'NAMES_FULL' });
        await store.keys.add('bob', stored('one'));
        expect(await store.keys.changeSecrets((sealed, place) => `${sealed} ${place.split(' ')[1]}`)).toBe(1001);
        expect(await store.keys.get('bob', 'one')).toMatchObject({ sealed: 'of one bob' });
        expect(await store.keys.changeSecrets((sealed) => sealed)).toBe(0);
      });
    });

    describe('records', () => {
      test('are replaced by newer ones only', async () => {
        const put = async (bytes: Uint8Array) => await store.records.put(key.name, bytes, { account: 'ann' });
        expect(await put(record(5n))).toBe('stored');
        expect(await put(record(4n, { hours: 9 }))).toBe('older');
        expect(await put(record(5n, { hours: 2 }))).toBe('stored');
        expect(await put(record(5n))).toBe('older');
        expect((await other.records.get(key.name))?.fields).toMatchObject({ sequence: 5n });
        expect(await other.records.counts('ann')).toEqual(await other.records.counts());
        expect((await other.records.counts()).records).toBe(1);
      });

      test('that are invalid are refused', async () => {
        const another = await generateIpnsKey({ type: 'ed25519' });
        for (const bytes of [record(1n, { of: another }), record(1n, { hours: -1 }), Buffer.from('x')])
          await expect(store.records.put(key.name, bytes, { account: 'ann' })).rejects.toMatchObject({
            code: 'IPNS_RECORD_INVALID',
          });
        expect(await store.records.get(key.name)).toBeUndefined();
        expect(await store.records.counts()).toEqual({ records: 0, bytes: 0 });
      });

      test('that have expired are not returned, are replaced, and are removed', async () => {
        await store.records.put(key.name, record(9n), { account: 'ann' });
        clock.nowMs += 3_600_001;
        expect(await store.records.get(key.name)).toBeUndefined();
        expect(await store.records.put(key.name, record(1n), { account: 'bob' })).toBe('stored');
        expect(await store.records.removeExpired(clock.nowMs, 10)).toBe(0);
        clock.nowMs += 3_600_001;
        expect(await store.records.removeExpired(clock.nowMs, 10)).toBe(1);
        expect(await store.records.counts()).toEqual({ records: 0, bytes: 0 });
        expect(await store.records.scheduledCount()).toBe(0);
      });

      test('are listed in the order of their names, without expired ones', async () => {
        const keys = await Promise.all(Array.from({ length: 5 }, () => generateIpnsKey({ type: 'ed25519' })));
        for (const [at, of] of keys.entries())
          await store.records.put(of.name, record(1n, { of, hours: at === 0 ? 1 : 3 }), { account: 'ann' });
        clock.nowMs += 2 * 3_600_000;
        const found: Buffer[] = [];
        for await (const { name } of other.records.list()) found.push(Buffer.from(name.multihash.bytes));
        const expected = keys.slice(1).map(({ name }) => Buffer.from(name.multihash.bytes));
        expect(found).toEqual(expected.sort(Buffer.compare));
      });

      test('continue from a sequence that was raised', async () => {
        await store.keys.add('ann', stored('one'));
        await store.records.raiseSequence('ann', key.name, 7n);
        await store.records.raiseSequence('ann', key.name, 3n);
        expect(await other.records.sequenceOf('ann', key.name)).toBe(7n);
        expect((await publish('/ipfs/a')).sequence).toBe(8n);
      });

      test('are paid by the account that stored the newest one', async () => {
        await store.records.put(key.name, record(1n), { account: 'ann' });
        await store.records.put(key.name, record(1n), { account: 'bob' });
        expect([(await store.records.counts('ann')).records, (await store.records.counts('bob')).records]).toEqual([
          1, 0,
        ]);
        await store.records.put(key.name, record(2n), { account: 'bob' });
        expect([(await store.records.counts('ann')).records, (await store.records.counts('bob')).records]).toEqual([
          0, 1,
        ]);
      });
    });

    describe('publishing', () => {
      test('keeps the sequence for the same value and raises it for another one', async () => {
        expect((await publish('/ipfs/a')).sequence).toBe(0n);
        clock.nowMs += 1000;
        expect((await publish('/ipfs/a')).sequence).toBe(0n);
        expect((await publish('/ipfs/b')).sequence).toBe(1n);
        expect((await publish('/ipfs/b', { hours: 0.5 })).sequence).toBe(2n);
      });

      test('never lowers the sequence, also after the record has expired', async () => {
        await store.keys.add('ann', stored('one'));
        await publish('/ipfs/a');
        await publish('/ipfs/b');
        clock.nowMs += 3_600_001;
        await store.records.removeExpired(clock.nowMs, 10);
        expect((await publish('/ipfs/b')).sequence).toBe(2n);
        const low = {
          account: 'ann',
          key,
          value: '/ipfs/c',
          lifetimeMs: 1000,
          ttlNs: 0n,
          sequence: 2n,
          nowMs: () => clock.nowMs,
        };
        await expect(publishName(store.records, low)).rejects.toMatchObject({ code: 'IPNS_SEQUENCE_LOW' });
        expect((await publishName(store.records, { ...low, sequence: 9n })).sequence).toBe(9n);
        expect((await publish('/ipfs/d')).sequence).toBe(10n);
      });

      test('by several processes gives each value a sequence of its own', async () => {
        const all = Array.from({ length: 12 }, (_, at) =>
          publish(`/ipfs/${at}`, { in: at % 2 ? store.records : other.records }),
        );
        const sequences = (await Promise.all(all)).map(({ sequence }) => Number(sequence));
        expect(sequences.sort((one, another) => one - another)).toEqual(Array.from({ length: 12 }, (_, at) => at));
      });
    });

    describe('the schedule', () => {
      const take = async (records = store.records) =>
        (await records.takeDue({ nowMs: clock.nowMs, retryMs: clock.nowMs + 60_000, max: 10 })).length;

      test('gives a new record to one process, and again after the time of a retry', async () => {
        await publish('/ipfs/a');
        const [one, two] = await Promise.all([take(), take(other.records)]);
        expect(one + two).toBe(1);
        clock.nowMs += 60_000;
        expect(await take()).toBe(1);
      });

      test('ends for a settled record without a next time, and continues at a next time', async () => {
        await publish('/ipfs/a');
        const [due] = await store.records.takeDue({ nowMs: clock.nowMs, retryMs: clock.nowMs + 60_000, max: 10 });
        if (due === undefined) throw new Error('nothing is due');
        expect(await store.records.oldestAnnouncedMs()).toBeUndefined();
        await store.records.settle(due, { announcedMs: clock.nowMs, nextMs: clock.nowMs + 90_000 });
        expect(await other.records.oldestAnnouncedMs()).toBe(clock.nowMs);
        clock.nowMs += 60_000;
        expect(await take()).toBe(0);
        clock.nowMs += 30_000;
        expect(await take()).toBe(1);
        await store.records.settle(due, {});
        expect(await store.records.scheduledCount()).toBe(0);
      });

      test('of a record that was replaced meanwhile is not changed', async () => {
        await publish('/ipfs/a');
        const [due] = await store.records.takeDue({ nowMs: clock.nowMs, retryMs: clock.nowMs + 60_000, max: 10 });
        if (due === undefined) throw new Error('nothing is due');
        await publish('/ipfs/b');
        await store.records.settle(due, {});
        expect(await take()).toBe(1);
      });
    });
  });
}
