import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keccak256 } from '@cairn/cid';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ContentCache } from './index.ts';
import { LmdbContentCache, MemoryContentCache } from './index.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});
const directoryOf = () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-content-'));
  directories.push(directory);
  return directory;
};
const content = (n: number, length = 1000) => {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, n);
  return { hash: keccak256(bytes), bytes };
};

const adapters: [string, (bytesMax: number, directory?: string) => Promise<ContentCache>][] = [
  ['MemoryContentCache', async (bytesMax) => new MemoryContentCache({ bytesMax })],
  [
    'LmdbContentCache',
    (bytesMax, directory = directoryOf()) => LmdbContentCache.open({ directory, bytesMax, memoryBytesMax: 5000 }),
  ],
];

describe.each(adapters)('%s', (_, open) => {
  test('content is readable after put and after flush', async () => {
    const cache = await open(1_000_000);
    const { hash, bytes } = content(1);
    expect(cache.get(hash)).toBeUndefined();
    cache.put(hash, bytes);
    expect(cache.get(hash)).toEqual(bytes);
    await cache.flush();
    expect(Buffer.from(cache.get(hash) ?? []).equals(bytes)).toBe(true);
    await cache.close();
  });

  test('the byte limit holds, and content in use stays', async () => {
    const cache = await open(100_000);
    const hot = content(0);
    cache.put(hot.hash, hot.bytes);
    for (let n = 1; n <= 500; n++) {
      const { hash, bytes } = content(n);
      cache.put(hash, bytes);
      if (n % 10 === 0) await cache.flush();
      cache.get(hot.hash);
      expect(cache.bytes).toBeLessThanOrEqual(110_000);
    }
    await cache.flush();
    expect(cache.get(hot.hash)).toBeDefined();
    expect(cache.get(content(1).hash)).toBeUndefined();
    expect(cache.get(content(500).hash)).toBeDefined();
    await cache.close();
  });
});

test('LmdbContentCache keeps its content and its size across processes', async () => {
  const directory = directoryOf();
  const options = { directory, bytesMax: 1_000_000 };
  const first = await LmdbContentCache.open(options);
  for (let n = 0; n < 50; n++) first.put(content(n).hash, content(n).bytes);
  await first.close();
  const second = await LmdbContentCache.open(options);
  expect(second.bytes).toBe(50_000);
  expect(Buffer.from(second.get(content(7).hash) ?? []).equals(content(7).bytes)).toBe(true);
  await second.close();
});

test('LmdbContentCache refetches content whose bytes do not match their hash', async () => {
  const directory = directoryOf();
  const first = await LmdbContentCache.open({ directory, bytesMax: 1_000_000 });
  const { hash, bytes } = content(1);
  first.put(hash, content(2).bytes);
  await first.close();
  const second = await LmdbContentCache.open({ directory, bytesMax: 1_000_000 });
  expect(second.get(hash)).toBeUndefined();
  second.put(hash, bytes);
  await second.close();
  const third = await LmdbContentCache.open({ directory, bytesMax: 1_000_000 });
  expect(Buffer.from(third.get(hash) ?? []).equals(bytes)).toBe(true);
  await third.close();
});
