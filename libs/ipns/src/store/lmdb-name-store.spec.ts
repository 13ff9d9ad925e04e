import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareRecords, createIpnsRecord, decodeIpnsRecord, generateIpnsKey, openLmdbNameStore } from '../index.ts';
import { describeNameStore } from '../testing/index.ts';

const directories: string[] = [];
function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-names-'));
  directories.push(directory);
  return directory;
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describeNameStore('LMDB', async (clock) => {
  const directory = newDirectory();
  return () => openLmdbNameStore({ directory, now: () => clock.nowMs });
});

test('any puts leave the newest valid record of each name, with counts that match', async () => {
  const keys = await Promise.all([0, 1, 2].map(() => generateIpnsKey({ type: 'ed25519' })));
  const put = fc.record({
    key: fc.nat(2),
    sequence: fc.bigInt(0n, 3n),
    minutes: fc.integer({ min: 1, max: 4 }),
    account: fc.constantFrom('a', 'b'),
  });
  const step = fc.record({ put, waited: fc.nat(2), removes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      let nowMs = Date.parse('2026-01-01T00:00:00Z');
      const store = await openLmdbNameStore({ directory: newDirectory(), now: () => nowMs });
      const model = new Map<number, Uint8Array>();
      const fieldsOf = (bytes: Uint8Array) => ({ bytes, fields: decodeIpnsRecord(bytes) });
      for (const {
        put: { key, sequence, minutes, account },
        waited,
        removes,
      } of steps) {
        nowMs += waited * 60_000;
        if (removes) await store.records.removeExpired(nowMs, 10);
        const signer = keys[key];
        if (signer === undefined) continue;
        const bytes = createIpnsRecord(signer, {
          value: '/ipfs/a',
          sequence,
          ttlNs: 0n,
          validUntilMs: nowMs + minutes * 60_000,
        });
        const before = model.get(key);
        const isLive = before !== undefined && decodeIpnsRecord(before).validUntilMs > nowMs;
        const isNewer = !isLive || compareRecords(fieldsOf(bytes), fieldsOf(before)) >= 0;
        expect(await store.records.put(signer.name, bytes, { account })).toBe(isNewer ? 'stored' : 'older');
        if (isNewer) model.set(key, bytes);
      }
      await store.records.removeExpired(nowMs, 10);
      const live = [...model].filter(([, bytes]) => decodeIpnsRecord(bytes).validUntilMs > nowMs);
      for (const [key, bytes] of live) {
        const found = keys[key] && (await store.records.get(keys[key].name));
        expect(found && Buffer.compare(found.bytes, bytes)).toBe(0);
      }
      const [a, b] = [await store.records.counts('a'), await store.records.counts('b')];
      const bytes = live.reduce((sum, [, each]) => sum + each.length, 0);
      expect(await store.records.counts()).toEqual({ records: live.length, bytes });
      expect([a.records + b.records, a.bytes + b.bytes]).toEqual([live.length, bytes]);
      await store.close();
    }),
    { numRuns: 30 },
  );
});
