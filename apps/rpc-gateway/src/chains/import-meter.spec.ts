import { expect, test } from '@jest/globals';
import { ImportMeter } from './import-meter.ts';

test('update reports rate and remaining time over all files at intervals', () => {
  let now = 0;
  const sizes: Record<string, number> = { a: 1000, b: 3000 };
  const meter = new ImportMeter({
    files: ['a', 'b'],
    everyMs: 5000,
    now: () => now,
    sizeOf: (file) => sizes[file] ?? 0,
  });
  const at = (file: string, blocks: number, gas: bigint, bytesDone: number) =>
    meter.update({ file, number: BigInt(blocks), blocks, gas, bytesDone, bytesTotal: sizes[file] ?? 0 });
  // Skipped: the block was imported before.
  expect(at('a', 0, 0n, 200)).toBeUndefined();
  now = 60_000;
  expect(at('a', 0, 0n, 500)).toBeUndefined();
  now = 62_000;
  expect(at('a', 10, 1_000_000n, 600)).toBeUndefined();
  now = 65_000;
  expect(at('a', 50, 30_000_000n, 1000)).toEqual({
    block: '50',
    file: 'a',
    blocksPerSecond: 10,
    mgasPerSecond: 6,
    percent: 25,
    etaSeconds: 30,
  });
  now = 80_000;
  expect(at('b', 5, 1n, 100)).toBeUndefined();
  now = 90_000;
  expect(at('b', 105, 20_000_001n, 1100)).toMatchObject({
    blocksPerSecond: 10,
    mgasPerSecond: 2,
    percent: 52.5,
    etaSeconds: 19,
  });
});
