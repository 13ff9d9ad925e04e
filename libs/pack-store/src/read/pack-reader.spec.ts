import { type BlockVerifier, cidFor, createRememberingVerifier } from '@cairn/cid';
import type { ObjectStore } from '@cairn/object-store';
import { createMemoryObjectStore } from '@cairn/object-store';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packLimits } from '../limits.ts';
import { PackBuilder } from '../pack/pack-builder.ts';
import type { BlockLocation } from '../types.ts';
import { createPackReader } from './pack-reader.ts';

/** Pack of blocks with these lengths, and a reader whose requests are recorded. */
function setUp(lengths: readonly number[], packs = 1, verify?: BlockVerifier) {
  const memory = createMemoryObjectStore();
  const locations: BlockLocation[] = [];
  for (let number = 0; number < packs; number++) {
    const builder = new PackBuilder();
    for (const [index, length] of lengths.entries()) {
      const bytes = Buffer.alloc(length, `${number} ${index} `);
      builder.add({ bytes, cid: cidFor(bytes, { codec: 'raw' }) });
    }
    const { key: pack, parts } = builder.seal();
    memory.objects.set(pack, { bytes: Buffer.concat(parts), modifiedAt: new Date() });
    locations.push(...builder.entries.map((entry) => ({ ...entry, pack })));
  }
  const ranges: { offset: number; length: number; signal: AbortSignal | undefined }[] = [];
  const faults: ((bytes: Uint8Array) => Uint8Array)[] = [];
  const objects: ObjectStore = new Proxy(memory, {
    get: (target, name) =>
      name === 'get'
        ? async (...[key, options = {}]: Parameters<ObjectStore['get']>) => {
            ranges.push({ offset: 0, length: 0, ...options.range, signal: options.signal });
            await new Promise((resolve) => setImmediate(resolve));
            const bytes = await target.get(key, options);
            return faults.shift()?.(bytes) ?? bytes;
          }
        : Reflect.get(target, name).bind?.(target),
  });
  return { memory, locations, ranges, faults, reader: createPackReader({ objects, verify }) };
}

const expected = (number: number, index: number, length: number) => Buffer.alloc(length, `${number} ${index} `);

test('get and getMany return the blocks of any locations in any order', async () => {
  const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(200_000)), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), async (sizes, picks, isBatch) => {
      const { locations, reader } = setUp(sizes, 2);
      const wanted = picks.map((pick) => pick % locations.length);
      const chosen = wanted.map((index) => locations[index] as BlockLocation);
      const found = isBatch
        ? await reader.getMany(chosen)
        : await Promise.all(chosen.map((location) => reader.get(location)));
      for (const [position, index] of wanted.entries()) {
        const size = sizes[index % sizes.length] ?? 0;
        const block = expected(Math.floor(index / sizes.length), index % sizes.length, size);
        expect(block.equals(found[position] as Uint8Array)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('getMany reads neighbours with one request, and far blocks separately', async () => {
  const { locations, ranges, reader } = setUp([1000, 1000, packLimits.gapBytesMax * 2, 1000, 1000]);
  const [first, second, , fourth, fifth] = locations as [
    BlockLocation,
    BlockLocation,
    unknown,
    BlockLocation,
    BlockLocation,
  ];
  await reader.getMany([fifth, first, fourth, second]);
  expect(ranges).toHaveLength(2);
});

test('a sequential reader causes few requests and reads few bytes twice', async () => {
  const { memory, locations, ranges, reader } = setUp(Array<number>(60).fill(256 * 1024));
  for (const location of locations) await reader.get(location);
  expect(ranges.length).toBeLessThanOrEqual(9);
  const total = locations.reduce((sum, { length }) => sum + length, 0);
  expect(memory.traffic().get.bytesReceived).toBeLessThan(total * 1.05);
});

test('a random reader reads no more than its blocks', async () => {
  const { memory, locations, reader } = setUp(Array<number>(40).fill(100_000));
  const chosen = locations.filter((_, index) => index % 3 === 0).reverse();
  for (const location of chosen) await reader.get(location);
  expect(memory.traffic().get).toMatchObject({ requests: chosen.length, bytesReceived: chosen.length * 100_000 });
});

test('concurrent reads of a block share a request, and an aborted one leaves the others', async () => {
  const { locations, ranges, reader } = setUp([5000]);
  const [location] = locations as [BlockLocation];
  const controller = new AbortController();
  const aborted = reader.get(location, { signal: controller.signal });
  const kept = [reader.get(location), reader.get(location)];
  controller.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  expect((await Promise.all(kept)).map(({ length }) => length)).toEqual([5000, 5000]);
  expect(ranges).toHaveLength(1);
  expect(ranges[0]?.signal?.aborted).toBe(false);
});

test('the request ends when its last reader aborts, and a later reader starts another', async () => {
  const { locations, ranges, reader } = setUp([5000]);
  const [location] = locations as [BlockLocation];
  const controller = new AbortController();
  const reads = [1, 2].map(() => reader.get(location, { signal: controller.signal }));
  controller.abort(new Error('stopped'));
  for (const result of await Promise.allSettled(reads)) expect(result.status).toBe('rejected');
  expect(ranges[0]?.signal?.aborted).toBe(true);
  expect((await reader.get(location)).length).toBe(5000);
});

test('bytes that the network damaged are read again', async () => {
  const { locations, ranges, faults, reader } = setUp([5000, 5000]);
  faults.push((bytes) => Buffer.from(bytes).fill(0));
  expect((await reader.getMany(locations)).map(({ length }) => length)).toEqual([5000, 5000]);
  expect(ranges).toHaveLength(3);
});

test.each([
  ['hashed', undefined],
  ['remembered', createRememberingVerifier()],
])('a damaged and a truncated pack are reported with their key, and never returned: %s', async (_, verify) => {
  const { memory, locations, reader } = setUp([50_000, 50_000], 1, verify);
  const [first, second] = locations as [BlockLocation, BlockLocation];
  for (const [index, { cid }] of locations.entries()) await verify?.(cid, expected(0, index, 50_000));
  const stored = memory.objects.get(first.pack);
  const bytes = Buffer.from(stored?.bytes ?? []);
  bytes[first.offset] = 0;
  memory.objects.set(first.pack, { bytes: bytes.subarray(0, second.offset + 10), modifiedAt: new Date() });
  const corrupt = { code: 'PACK_CORRUPT', details: { pack: first.pack } };
  await expect(reader.get(first)).rejects.toMatchObject(corrupt);
  await expect(reader.get(second)).rejects.toMatchObject(corrupt);
  await expect(reader.getMany([first, second])).rejects.toMatchObject(corrupt);
  memory.objects.clear();
  await expect(reader.get(first)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
});

test('a block from a longer range owns its memory', async () => {
  const { locations, reader } = setUp([1000, 1000, 1000]);
  for (const { buffer } of await reader.getMany(locations)) expect(buffer.byteLength).toBe(1000);
});
