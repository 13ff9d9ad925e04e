import { beforeEach, expect, test } from '@jest/globals';
import { createIpnsRecord, generateIpnsKey, RecordSource, type StoredRecord, verifyIpnsRecord } from './index.ts';

const key = await generateIpnsKey({ type: 'ed25519' });
const startMs = Date.parse('2026-01-01T00:00:00Z');
let nowMs = startMs;
let searches = 0;

beforeEach(() => {
  nowMs = startMs;
  searches = 0;
});

const record = (sequence: bigint, of = key) =>
  createIpnsRecord(of, { value: '/ipfs/a', sequence, ttlNs: 60_000_000_000n, validUntilMs: startMs + 3_600_000 });

function source(
  inNetwork: Uint8Array | undefined | Error,
  inStore?: Uint8Array,
  owner?: StoredRecord['owner'],
): RecordSource {
  return new RecordSource({
    now: () => nowMs,
    records: {
      get: async (name) =>
        inStore && {
          name,
          bytes: inStore,
          fields: verifyIpnsRecord(name, inStore, nowMs),
          account: 'ann',
          ...(owner && { owner }),
        },
    },
    findInNetwork: async () => {
      searches++;
      if (inNetwork instanceof Error) throw inNetwork;
      return inNetwork;
    },
  });
}

test('a record of the network is used for its time to live', async () => {
  const names = source(record(1n));
  expect(await Promise.all([names.find(key.name), names.find(key.name)])).toEqual([record(1n), record(1n)]);
  nowMs += 59_000;
  await names.find(key.name);
  expect(searches).toBe(1);
  await names.find(key.name, { isFresh: true });
  expect(searches).toBe(2);
  nowMs += 61_000;
  await names.find(key.name);
  expect(searches).toBe(3);
});

test('the newer one of store and network is returned', async () => {
  expect(await source(record(1n), record(2n)).find(key.name)).toEqual(record(2n));
  expect(await source(record(3n), record(2n)).find(key.name)).toEqual(record(3n));
  expect(await source(record(3n), record(2n)).find(key.name, { isOffline: true })).toEqual(record(2n));
});

test('a name that is published here needs no search', async () => {
  expect(await source(undefined, record(2n), { lifetimeMs: 1, hasV1: true }).find(key.name)).toEqual(record(2n));
  expect(searches).toBe(0);
});

test('an invalid record, a failed search and no record are nothing, and are remembered shortly', async () => {
  const other = await generateIpnsKey({ type: 'ed25519' });
  for (const bad of [record(1n, other), new Error('no peers'), undefined]) {
    searches = 0;
    const names = source(bad);
    expect(await names.find(key.name)).toBeUndefined();
    expect(await names.find(key.name)).toBeUndefined();
    nowMs += 10_001;
    await names.find(key.name);
    expect(searches).toBe(2);
  }
});

test('an aborted reader ends its wait only', async () => {
  const names = new RecordSource({
    records: { get: async () => undefined },
    now: () => nowMs,
    findInNetwork: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return record(1n);
    },
  });
  const aborted = names.find(key.name, { signal: AbortSignal.abort(new Error('gone')) });
  const other = names.find(key.name);
  await expect(aborted).rejects.toThrow('gone');
  expect(await other).toEqual(record(1n));
});
