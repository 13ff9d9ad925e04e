import type { Block, StateReader } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import { StateCache, WorldState } from '@cairn/evm';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../engine/create-engine.ts';
import { readRecordedChain } from '../recorded-chain.fixture.ts';
import { ReplayStarts } from './replay-starts.ts';
import { traceBlock } from './trace-block.ts';
import { parseTraceOptions } from './trace-options.ts';

const run = hasConformanceCases ? test : test.skip;
const configs = [
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  {},
];

run('a trace from a kept start equals that of a whole replay, in every order of transactions', async () => {
  const { spec, blocks, genesis } = readRecordedChain();
  const state = createMemoryState(genesis);
  const block = blocks[0] as Block;
  const engine = createEngine();
  const place = { spec, block, state, engine, blockHashes: () => undefined };
  const indexes = block.transactions.map((_, index) => index);
  expect(indexes.length).toBeGreaterThan(2);
  const starts = new ReplayStarts();
  for (const config of configs) {
    const options = parseTraceOptions(config);
    for (const index of [...indexes, ...indexes.toReversed(), ...indexes]) {
      const kept = await traceBlock({ ...place, options, index, starts });
      expect(kept).toEqual(await traceBlock({ ...place, options, index }));
    }
    expect(await traceBlock({ ...place, options, starts })).toEqual(await traceBlock({ ...place, options }));
  }
});

describe('ReplayStarts', () => {
  const address = new Uint8Array(20).fill(7);
  const slotOf = (at: number) => {
    const slot = new Uint8Array(32);
    new DataView(slot.buffer).setUint32(28, at);
    return slot;
  };
  const block = '0x01';
  const base = createMemoryState({});
  /** A world with that many written slots. */
  const worldOf = (count: number, state: StateReader = base) => {
    const world = new WorldState(StateCache.of(state));
    for (let at = 0; at < count; at++) world.setStorage(address, slotOf(at), Uint8Array.of(1));
    return world;
  };
  const at = (index: number) => ({ index, gasUsed: 0n, logs: 0 });

  test('finds the last start at or before a transaction of the same block', () => {
    const starts = new ReplayStarts();
    for (const index of [0, 3, 5]) starts.keep(block, worldOf(1), base, at(index));
    expect([0, 2, 3, 4, 9].map((index) => starts.find(block, index)?.index)).toEqual([0, 0, 3, 3, 5]);
    expect(starts.find('0x02', 3)).toBe(undefined);
  });

  test('reads changes on changes, emptied storage, and the state below', () => {
    const starts = new ReplayStarts();
    starts.keep(block, worldOf(3), base, at(0));
    const first = starts.find(block, 0)?.state as StateReader;
    const world = new WorldState(StateCache.of(first));
    world.clearStorage(address);
    world.setStorage(address, slotOf(1), Uint8Array.of(9));
    world.setCode(address, Uint8Array.of(0));
    starts.keep(block, world, first, at(1));
    const second = starts.find(block, 1)?.state as StateReader;
    expect([0, 1, 2, 3].map((slot) => [...second.getStorage(address, slotOf(slot))])).toEqual([[], [9], [], []]);
    expect([0, 1, 2, 3].map((slot) => [...first.getStorage(address, slotOf(slot))])).toEqual([[1], [1], [1], []]);
    const codeHash = second.getAccount(address)?.codeHash as Uint8Array;
    expect(second.getCode(codeHash)).toEqual(Uint8Array.of(0));
    expect(first.getAccount(address)).toBe(undefined);
    expect(second.getAccount(new Uint8Array(20))).toBe(undefined);
  });

  test('releases the oldest starts beyond its bound, and never the newest', () => {
    const starts = new ReplayStarts();
    for (const index of [0, 1, 2]) starts.keep(block, worldOf(9_000), base, at(index));
    expect(starts.find(block, 0)).toBe(undefined);
    expect(starts.find(block, 1)?.index).toBe(1);
    starts.keep(block, worldOf(30_000), base, at(3));
    expect(starts.find(block, 2)).toBe(undefined);
    expect(starts.find(block, 3)?.index).toBe(3);
  });
});
