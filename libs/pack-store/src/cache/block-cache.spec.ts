import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from '@cairn/blockstore';
import { cidFor, createRememberingVerifier } from '@cairn/cid';
import { Environment } from '@cairn/embedded-store';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BlockLocation, PackReader } from '../types.ts';
import { openBlockCache } from './block-cache.ts';
import { withBlockCache } from './with-block-cache.ts';

const MiB = 1024 * 1024;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'block-cache-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const blockOf = (text: string, length = text.length): Block => {
  const bytes = Buffer.alloc(length, `${text} `);
  return { bytes, cid: cidFor(bytes, { codec: 'raw' }) };
};

test('get returns cached blocks, also after another opening', async () => {
  const blocks = [blockOf('a'), blockOf('b', 300_000), blockOf('')];
  const cache = await openBlockCache({ directory, bytesMax: MiB });
  cache.put(blocks);
  cache.put(blocks);
  await cache.settled();
  expect(await cache.get(blockOf('absent').cid)).toBeUndefined();
  const { bytes } = cache.stats();
  await cache.close();
  const again = await openBlockCache({ directory, bytesMax: MiB });
  for (const { cid, bytes: expected } of blocks)
    expect(Buffer.from((await again.get(cid)) ?? [1]).equals(expected)).toBe(true);
  expect(again.stats()).toMatchObject({ hits: 3, misses: 0, blocks: 3, bytes });
  await again.remove([blockOf('a').cid]);
  expect(await again.get(blockOf('a').cid)).toBeUndefined();
  await again.close();
});

test('get copies a block into the buffer of the caller, whose length decides', async () => {
  const block = blockOf('b', 300_000);
  const cache = await openBlockCache({ directory, bytesMax: MiB });
  cache.put([block]);
  await cache.settled();
  const [into, short] = [new Uint8Array(300_000), new Uint8Array(299_999)];
  expect(await cache.get(block.cid, into)).toBe(into);
  expect(Buffer.from(into).equals(block.bytes)).toBe(true);
  expect(await cache.get(block.cid, short)).toBeUndefined();
  await cache.close();
});

test('the cache keeps its limit of bytes, and blocks that are read', async () => {
  const bytesMax = 4 * MiB;
  const cache = await openBlockCache({ directory, bytesMax });
  const hot = blockOf('hot', 50_000);
  cache.put([hot]);
  for (let n = 0; n < 400; n++) {
    cache.put([blockOf(`${n}`, 1000 + ((n * 7919) % 100_000))]);
    await cache.settled();
    expect(cache.stats().bytes).toBeLessThanOrEqual(bytesMax);
    expect(await cache.get(hot.cid)).toBeDefined();
  }
  expect(cache.stats().blocks).toBeGreaterThan(20);
  expect(statSync(join(directory, 'data.mdb')).size).toBeLessThan(bytesMax * 2);
  await cache.close();
});

test('blocks beyond the queue in memory and blocks above the limit are not cached', async () => {
  const cache = await openBlockCache({ directory, bytesMax: MiB });
  cache.put([blockOf('large', MiB)]);
  cache.put(Array.from({ length: 20 }, (_, n) => blockOf(`${n}`, MiB)));
  await cache.settled();
  expect(cache.stats()).toMatchObject({ blocks: 0, skipped: 20 });
  cache.put([blockOf('small')]);
  await cache.settled();
  expect(await cache.get(blockOf('small').cid)).toBeDefined();
  await cache.close();
});

test('a block that was damaged on the disk is a miss, and can be cached again', async () => {
  const block = blockOf('block', 50_000);
  const cache = await openBlockCache({ directory, bytesMax: MiB, verify: createRememberingVerifier() });
  cache.put([block]);
  await cache.settled();
  expect(await cache.get(block.cid)).toBeDefined();
  const format = { name: 'block-cache', version: 1 };
  const environment = await Environment.open({ directory, format, isSynced: false });
  const blocks = environment.database('blocks');
  await environment.transaction(() => blocks.put(block.cid.multihash.bytes, Buffer.alloc(50_000, 'other')));
  await environment.close();
  expect(await cache.get(block.cid)).toBeUndefined();
  expect(cache.stats().failures).toBe(1);
  cache.put([block]);
  await cache.settled();
  expect(await cache.get(block.cid)).toBeDefined();
  await cache.close();
});

test('damaged files are replaced by an empty cache', async () => {
  const cache = await openBlockCache({ directory, bytesMax: MiB });
  cache.put([blockOf('lost')]);
  await cache.settled();
  await cache.close();
  writeFileSync(join(directory, 'data.mdb'), Buffer.alloc(50_000, 'x'));
  const again = await openBlockCache({ directory, bytesMax: MiB });
  expect(await again.get(blockOf('lost').cid)).toBeUndefined();
  again.put([blockOf('new')]);
  await again.settled();
  expect(await again.get(blockOf('new').cid)).toBeDefined();
  await again.close();
});

test('withBlockCache asks the reader for missing blocks only', async () => {
  const blocks = ['a', 'b', 'c'].map((text) => blockOf(text, 1000));
  const locations = blocks.map(({ cid }): BlockLocation => ({ cid, pack: 'p', offset: 0, length: 1000 }));
  const asked: string[] = [];
  const find = ({ cid }: BlockLocation) => {
    asked.push(String(cid));
    return blocks.find((block) => block.cid.equals(cid))?.bytes ?? new Uint8Array(0);
  };
  const reader: PackReader = { get: async (one) => find(one), getMany: async (many) => many.map(find) };
  const cache = await openBlockCache({ directory, bytesMax: MiB });
  const cached = withBlockCache(reader, cache);
  await cached.get(locations[1] as BlockLocation);
  await cache.settled();
  for (let round = 0; round < 2; round++) {
    const found = await cached.getMany(locations);
    await cache.settled();
    for (const [index, { bytes }] of blocks.entries())
      expect(Buffer.from(bytes).equals(found[index] ?? Buffer.of())).toBe(true);
  }
  expect(asked).toEqual([1, 0, 2].map((index) => String(blocks[index]?.cid)));
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(cached.get(locations[0] as BlockLocation, { signal })).rejects.toThrow('stopped');
  await cache.close();
});
