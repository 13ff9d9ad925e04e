import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  generateIpnsKey,
  NameRepublisher,
  type NameStore,
  nameOfRoutingKey,
  openLmdbNameStore,
  publishName,
  verifyIpnsRecord,
} from './index.ts';

const hourMs = 3_600_000;
const key = await generateIpnsKey({ type: 'ed25519' });
let directory: string;
let store: NameStore;
let nowMs: number;
let network: { put: string; validUntilMs: number }[];
let isDown: boolean;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-republish-'));
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  store = await openLmdbNameStore({ directory, now: () => nowMs });
  network = [];
  isDown = false;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

function republisher({ isHere = true, isOnline = true } = {}): NameRepublisher {
  const putToNetwork = async (routingKey: Uint8Array, bytes: Uint8Array) => {
    if (isDown) throw new Error('no peers');
    const { value: put, validUntilMs } = verifyIpnsRecord(nameOfRoutingKey(routingKey) ?? key.name, bytes, nowMs);
    network.push({ put, validUntilMs });
  };
  const openKey = async () => (isHere ? key : undefined);
  return new NameRepublisher({ records: store.records, openKey, now: () => nowMs, ...(isOnline && { putToNetwork }) });
}

const publish = (lifetimeMs = 48 * hourMs) =>
  publishName(store.records, { account: 'ann', key, value: '/ipfs/a', lifetimeMs, ttlNs: 0n, nowMs: () => nowMs });

test('a record is put to the network once, and again after 4 hours, with a new end before it expires', async () => {
  await publish();
  const scheduler = republisher();
  for (let hour = 0; hour <= 120; hour++) {
    await scheduler.runOnce();
    expect((await store.records.get(key.name))?.fields).toMatchObject({ value: '/ipfs/a', sequence: 0n });
    nowMs += hourMs;
  }
  expect(network.length).toBe(31);
  expect(scheduler.counts).toMatchObject({ announced: 31, failed: 0 });
  expect(scheduler.counts.renewed).toBeGreaterThan(2);
  expect(
    network.every(({ validUntilMs }, at) => at === 0 || validUntilMs >= (network[at - 1]?.validUntilMs ?? 0)),
  ).toBe(true);
  expect(await scheduler.oldestSeconds()).toBe(3600);
});

test('a failed put is repeated, also by another process after a restart', async () => {
  await publish();
  isDown = true;
  const first = republisher();
  await first.runOnce();
  expect(first.counts).toMatchObject({ announced: 0, failed: 1 });
  await store.close();
  store = await openLmdbNameStore({ directory, now: () => nowMs });
  isDown = false;
  const second = republisher();
  await second.runOnce();
  expect(network).toEqual([]);
  nowMs += 120_000;
  await second.runOnce();
  expect(network.length).toBe(1);
});

test('without a network the record stays valid here', async () => {
  await publish(hourMs);
  const scheduler = republisher({ isOnline: false });
  for (let minute = 0; minute < 300; minute += 5) {
    await scheduler.runOnce();
    nowMs += 5 * 60_000;
  }
  expect((await store.records.get(key.name))?.fields.sequence).toBe(0n);
  expect(await scheduler.oldestSeconds()).toBeUndefined();
});

test('a record whose key was removed expires', async () => {
  await publish(hourMs);
  const scheduler = republisher({ isHere: false });
  for (let minute = 0; minute <= 90; minute += 5) {
    await scheduler.runOnce();
    nowMs += 5 * 60_000;
  }
  expect(await store.records.get(key.name)).toBeUndefined();
  expect((await store.records.counts()).records).toBe(0);
});

test('a record of others is put to the network once', async () => {
  await publish();
  const record = await store.records.get(key.name);
  if (record === undefined) throw new Error('no record');
  const copy = await openLmdbNameStore({ directory: join(directory, 'other'), now: () => nowMs });
  await copy.records.put(key.name, record.bytes, { account: 'bob' });
  const own = store;
  store = copy;
  const scheduler = republisher();
  await scheduler.runOnce();
  nowMs += 24 * hourMs;
  await scheduler.runOnce();
  expect(network.length).toBe(1);
  await own.close();
});
