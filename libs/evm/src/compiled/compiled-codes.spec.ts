import { knownChainSpec } from '@cairn/block-model';
import { Runtime } from '@cairn/evm-compiler';
import { op } from '@cairn/evm-compiler/opcodes';
import { expect, test } from '@jest/globals';
import { forkRules } from '../forks/rules-at.ts';
import { Analysis } from '../interpreter/analysis.ts';
import { opcodeTable } from '../interpreter/gas.ts';
import { CompiledCodes, compileLimits } from './compiled-codes.ts';

const table = opcodeTable(forkRules(knownChainSpec('hoodi', 'hoodi'), { number: 1n, timestamp: 1n }));
const make = (limits = {}) => new CompiledCodes(new Runtime(() => {}), { ...compileLimits, ...limits });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Pushes and pops, with a JUMPDEST now and then. */
const codeOf = (length: number, last = 0) => {
  const opcodeAt = (at: number) => (at % 30 === 0 ? op.JUMPDEST : at % 2 === 0 ? op.POP : op.PUSH0);
  return new Analysis(Uint8Array.from({ length }, (_, at) => (at === length - 1 ? last : opcodeAt(at))));
};

async function untilReady(codes: CompiledCodes, analysis: Analysis): Promise<number> {
  for (let turns = 1; turns < 100_000; turns++) {
    await turn();
    if (codes.ready(analysis, table) !== undefined) return turns;
  }
  throw new Error('It was never compiled.');
}

test('what is called often is compiled beside other work, a turn at a time', async () => {
  const codes = make();
  const analysis = codeOf(24_000);
  for (let call = 1; call < compileLimits.callsMin + 20; call++) expect(codes.forCall(analysis, table)).toBe(undefined);
  expect(await untilReady(codes, analysis)).toBeGreaterThan(3);
  expect(codes.forCall(analysis, table)?.entries).toHaveLength(24_001);
});

test('what is called seldom is not', async () => {
  const codes = make();
  const analysis = codeOf(10);
  for (let call = 1; call < compileLimits.callsMin; call++) codes.forCall(analysis, table);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(codes.ready(analysis, table)).toBe(undefined);
});

test('calls that leave no turn to anybody compile it at last', () => {
  const codes = make();
  const analysis = codeOf(160);
  const { callsMax, bytesPerCall } = compileLimits;
  const last = callsMax + 160 / bytesPerCall;
  for (let call = 1; call < last; call++) expect(codes.forCall(analysis, table)).toBe(undefined);
  expect(codes.forCall(analysis, table)).toBeDefined();
});

test('what is too long is refused once, beside other work too', async () => {
  const codes = make();
  const analysis = codeOf(30_000);
  for (let call = 0; call <= compileLimits.callsMin; call++) codes.forCall(analysis, table);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(codes.forLoop(analysis, table)).toBe(undefined);
  expect(codes.forCall(analysis, table)).toBe(undefined);
});

test('more codes than may wait are asked for again by later calls', async () => {
  const codes = make({ callsMin: 1 });
  const analyses = Array.from({ length: 100 }, (_, index) => codeOf(40, index));
  for (const analysis of analyses) codes.forCall(analysis, table);
  const isReady = (analysis: Analysis) => codes.ready(analysis, table) !== undefined;
  // They are done in any order.
  while (analyses.filter(isReady).length < 32) await turn();
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(analyses.filter(isReady)).toHaveLength(32);
  codes.forCall(analyses[99] as Analysis, table);
  await untilReady(codes, analyses[99] as Analysis);
});

test('all modules are released beyond their bound', () => {
  const codes = make({ moduleBytesMax: 5_000 });
  const analyses = Array.from({ length: 20 }, (_, index) => codeOf(60, index));
  for (const analysis of analyses) expect(codes.forLoop(analysis, table)).toBeDefined();
  const kept = analyses.filter((analysis) => codes.ready(analysis, table) !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(20);
  expect(kept.at(-1)).toBe(analyses.at(-1));
});
