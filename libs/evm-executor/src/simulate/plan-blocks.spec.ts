import { describe, expect, test } from '@jest/globals';
import { planBlocks } from './plan-blocks.ts';

const base = { number: 10n, timestamp: 100n };
const block = (blockOverrides: { readonly number?: bigint; readonly time?: bigint } = {}) => ({
  blockOverrides,
  calls: [],
});
const plan = (...blocks: ReturnType<typeof block>[]) =>
  planBlocks(base, blocks).map(({ blockOverrides: { number, time } }) => [number, time]);

describe('planBlocks', () => {
  test('numbers blocks at intervals of twelve seconds', () => {
    expect(plan(block(), block())).toEqual([
      [11n, 112n],
      [12n, 124n],
    ]);
  });

  test('fills gaps with empty blocks', () => {
    expect(plan(block({ number: 13n, time: 500n }), block())).toEqual([
      [11n, 112n],
      [12n, 124n],
      [13n, 500n],
      [14n, 512n],
    ]);
  });

  test.each([
    ['SIMULATION_EMPTY', []],
    ['SIMULATION_TOO_LONG', [block({ number: 267n })]],
    ['SIMULATION_TOO_LONG', Array.from({ length: 257 }, () => block())],
    ['SIMULATION_NUMBER_INVALID', [block({ number: 10n })]],
    ['SIMULATION_NUMBER_INVALID', [block({ number: 12n }), block({ number: 12n })]],
    ['SIMULATION_TIME_INVALID', [block({ time: 100n })]],
    ['SIMULATION_TIME_INVALID', [block({ number: 12n, time: 112n })]],
  ])('%s', (code, blocks) => {
    expect(() => planBlocks(base, blocks)).toThrow(expect.objectContaining({ code }));
  });

  test('accepts 256 blocks', () => {
    expect(plan(block({ number: 266n }))).toHaveLength(256);
  });
});
