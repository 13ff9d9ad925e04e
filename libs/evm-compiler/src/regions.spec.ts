import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findBlocks } from './blocks.ts';
import { figures } from './machine.fixture.ts';
import { cutRegions } from './regions.ts';

test('regions are all blocks, one after the other, and no more in one than V8 likes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24_576 }), fc.boolean(), (bytes, isFull) => {
      const code = isFull ? bytes.map((byte) => (byte % 3 === 0 ? 0x5b : byte % 2 === 0 ? 0x57 : 0x60)) : bytes;
      const blocks = findBlocks(code, figures);
      const regions = cutRegions(code, blocks);
      expect(regions[0]?.first).toBe(0);
      expect(regions.at(-1)?.end).toBe(blocks.list.length);
      for (const [index, { first, end }] of regions.entries()) {
        expect(end - first).toBeGreaterThan(0);
        expect(end - first).toBeLessThanOrEqual(512);
        if (index > 0) expect(regions[index - 1]?.end).toBe(first);
      }
    }),
  );
});

test('a loop is not cut where it can be whole', () => {
  // 200 blocks, a loop of 200, 300 blocks: JUMPDEST each, and PUSH1 200, JUMP behind the loop.
  const code = Uint8Array.from([...new Array(400).fill(0x5b), 0x60, 200, 0x56, ...new Array(300).fill(0x5b)]);
  const cuts = cutRegions(code, findBlocks(code, figures)).map(({ first }) => first);
  expect(cuts.length).toBeGreaterThan(1);
  for (const cut of cuts) expect(cut <= 200 || cut >= 400).toBe(true);
});
