import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findBlocks } from './blocks.ts';
import { figures } from './machine.fixture.ts';
import { op } from './opcodes/index.ts';
import { cutRegions } from './regions.ts';

test('regions cover all blocks in order, with 512 blocks at most', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24_576 }), fc.boolean(), (bytes, isFull) => {
      const code = isFull
        ? bytes.map((byte) => (byte % 3 === 0 ? op.JUMPDEST : byte % 2 === 0 ? op.JUMPI : op.PUSH1))
        : bytes;
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

test('cutRegions keeps a loop of 200 blocks in one region', () => {
  // 400 JUMPDESTs, a jump back to the 200th one, 300 JUMPDESTs.
  const code = Uint8Array.from([
    ...new Array(400).fill(op.JUMPDEST),
    op.PUSH1,
    200,
    op.JUMP,
    ...new Array(300).fill(op.JUMPDEST),
  ]);
  const cuts = cutRegions(code, findBlocks(code, figures)).map(({ first }) => first);
  expect(cuts.length).toBeGreaterThan(1);
  for (const cut of cuts) expect(cut <= 200 || cut >= 400).toBe(true);
});
