import type { Hex } from '@cairn/block-model';
import type { CallEngine } from '@cairn/evm';
import { createInterpreterEngine, opcodes } from '@cairn/evm';
import { compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { describe, expect, test } from '@jest/globals';
import { blockEnvironment } from '../block-environment.ts';
import { callCode, specAt, type TestFork, testForks, testHeader } from '../test-chain.fixture.ts';

const forksBefore = (fork: TestFork): readonly string[] => testForks.slice(0, testForks.indexOf(fork) + 1);
/** Opcodes of a fork by the opcode table, whose rows follow geth's jump tables (core/vm/jump_table.go). */
const opcodesOf = (fork: TestFork) =>
  new Set(opcodes.filter(({ since }) => forksBefore(fork).includes(since)).map(({ code }) => code));

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
  test.each(engines)('$name executes exactly the opcodes of the fork', async (engine) => {
    const wrong: string[] = [];
    for (let opcode = 0; opcode < 256; opcode++) {
      const result = await callCode(codeOf(opcode), { gas: 500_000n }, { ...options, engine });
      const isKnown = !(result.kind === 'halt' && result.reason.startsWith('invalid opcode'));
      if (isKnown !== known.has(opcode)) wrong.push(`0x${opcode.toString(16)}: ${JSON.stringify(result.kind)}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('forkRules of a header before the merge have no later opcode, whatever its number and time', () => {
  const header = { ...testHeader, difficulty: 1n };
  const { rules } = blockEnvironment(specAt('osaka'), header, { number: 1_000n, time: 2_000n });
  expect(rules.isCancun).toBe(false);
});
