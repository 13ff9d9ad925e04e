import type { Hex } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { blockEnvironment } from '../block-environment.ts';
import { callCode, specAt, type TestFork, testForks, testHeader } from '../test-chain.fixture.ts';
import type { CallEngine } from './call-engine.ts';
import { compileLimits } from './compiled/compiled-codes.ts';
import { createCompiledEngine } from './compiled/compiled-engine.ts';
import { createEthereumjsEngine } from './ethereumjs-engine.ts';
import { createInterpreterEngine } from './interpreter/interpreter-engine.ts';

// Which opcodes exist in which fork, as in geth's jump tables (core/vm/jump_table.go), on every engine.
const since: Readonly<Partial<Record<TestFork, readonly number[]>>> = {
  homestead: [0xf4],
  byzantium: [0x3d, 0x3e, 0xfa, 0xfd],
  constantinople: [0x1b, 0x1c, 0x1d, 0x3f, 0xf5],
  istanbul: [0x46, 0x47],
  london: [0x48],
  shanghai: [0x5f],
  cancun: [0x49, 0x4a, 0x5c, 0x5d, 0x5e],
  osaka: [0x1e],
};
const frontier = [
  [0x00, 0x0b],
  [0x10, 0x1a],
  [0x20, 0x20],
  [0x30, 0x3c],
  [0x40, 0x45],
  [0x50, 0x5b],
  [0x60, 0xa4],
  [0xf0, 0xf3],
  [0xff, 0xff],
] as const;

function opcodesOf(fork: TestFork): Set<number> {
  const known = new Set<number>();
  for (const [from, to] of frontier) for (let opcode = from; opcode <= to; opcode++) known.add(opcode);
  for (const each of testForks.slice(0, testForks.indexOf(fork) + 1))
    for (const opcode of since[each] ?? []) known.add(opcode);
  return known;
}

const reference = createEthereumjsEngine();
const engines: readonly CallEngine[] = [
  reference,
  createInterpreterEngine(reference),
  createCompiledEngine(reference, {
    ...compileLimits,
    callsMin: 1,
    callsMax: 1,
    bytesPerCall: Number.POSITIVE_INFINITY,
  }),
];

/** Seventeen zeros on the stack, then the opcode. */
const codeOf = (opcode: number): Hex => `0x${'6000'.repeat(17)}${opcode.toString(16).padStart(2, '0')}00`;

describe.each(testForks)('%s', (fork) => {
  const options = { spec: specAt(fork), header: { ...testHeader, difficulty: 0n } };
  const known = opcodesOf(fork);
  test.each(engines)('$name has the opcodes of that fork and no others', async (engine) => {
    const wrong: string[] = [];
    for (let opcode = 0; opcode < 256; opcode++) {
      const result = await callCode(codeOf(opcode), { gas: 500_000n }, { ...options, engine });
      const isKnown = !(result.kind === 'halt' && result.reason.startsWith('invalid opcode'));
      if (isKnown !== known.has(opcode)) wrong.push(`0x${opcode.toString(16)}: ${JSON.stringify(result.kind)}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('number and time of a merged chain bring no later opcode to a header before its merge', () => {
  const header = { ...testHeader, difficulty: 1n };
  const { rules } = blockEnvironment(specAt('osaka'), header, { number: 1_000n, time: 2_000n });
  expect(rules.isCancun).toBe(false);
});
