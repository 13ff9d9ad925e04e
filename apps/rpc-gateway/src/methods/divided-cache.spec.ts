import { afterEach, expect, test } from '@jest/globals';
import { divideCaches, dividedCache } from './divided-cache.ts';

afterEach(() => divideCaches({ count: 1 }));

const entry = (length: number) => ({ text: 'x'.repeat(length) });
const options = { charactersMax: 1_000, sizeOf: ({ text }: { readonly text: string }) => text.length };

test.each([
  [1, ['a', 'b', 'c']],
  [2, ['b', 'c']],
])('a cache of one among %i processes keeps its share', (count, kept) => {
  const cache = dividedCache(options);
  divideCaches({ count });
  for (const key of ['a', 'b', 'c']) cache().set(key, entry(250));
  expect([...cache().keys()].sort()).toEqual(kept);
});

test('an entry longer than the share of a process is not kept', () => {
  const cache = dividedCache(options);
  divideCaches({ count: 4 });
  cache().set('long', entry(251));
  expect(cache().size).toBe(0);
});
