import type { Hex } from '@cairn/block-model';
import { type CallEngine, createInterpreterEngine, op } from '@cairn/evm';
import { compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { callCode, contract } from '../test-chain.fixture.ts';

const reference = createEthereumjsEngine();
const engines: readonly CallEngine[] = [
  createInterpreterEngine(reference),
  createCompiledEngine(reference, {
    ...compileLimits,
    callsMin: 1,
    callsMax: 1,
    bytesPerCall: Number.POSITIVE_INFINITY,
  }),
];

const push = (word: bigint | number): number[] => {
  const digits = word.toString(16);
  const bytes = [...Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')];
  return [op.PUSH0 + bytes.length, ...bytes];
};
const run = (opcode: number, ...operands: readonly (number | bigint)[]) => [
  ...[...operands].reverse().flatMap(push),
  opcode,
];
/** Copies all call data or return data to memory. */
const copyAll = (copy: number, size: number, to: number) => [size, ...push(0), ...push(to), copy];

interface Shape {
  readonly inputAt: number;
  readonly inputLength: number;
  readonly outputAt: number;
  readonly outputLength: number;
}

/**
 * Calls itself twice, and the identity precompile between, while the first word of its input is not zero. Then it returns the hash of
 * its memory, which has its input and all return data.
 */
function nestedCalls({ inputAt, inputLength, outputAt, outputLength }: Shape): Hex {
  const call = (to: bigint) => [
    ...[outputLength, outputAt, inputLength, inputAt, 0].flatMap(push),
    ...push(to),
    ...push(0xff_ffff),
    op.CALL,
    op.POP,
  ];
  const body = [
    ...[...push(1), ...push(0), op.CALLDATALOAD, op.SUB],
    ...[...push(inputAt), op.MSTORE],
    ...call(BigInt(contract)),
    ...copyAll(op.RETURNDATACOPY, op.RETURNDATASIZE, 800),
    ...call(4n),
    ...copyAll(op.RETURNDATACOPY, op.RETURNDATASIZE, 1200),
    ...call(BigInt(contract)),
    ...copyAll(op.RETURNDATACOPY, op.RETURNDATASIZE, 1600),
  ];
  const end = [
    op.JUMPDEST,
    ...copyAll(op.CALLDATACOPY, op.CALLDATASIZE, 2000),
    ...run(op.KECCAK256, 0, 2400),
    ...[...push(outputAt), op.MSTORE],
    ...run(op.RETURN, outputAt, outputLength),
  ];
  const start = (to: number) => [...push(0), op.CALLDATALOAD, op.ISZERO, op.PUSH0 + 2, to >> 8, to & 0xff, op.JUMPI];
  return `0x${Buffer.from([...start(start(0).length + body.length), ...body, ...end]).toString('hex')}`;
}

const shape = fc.record({
  inputAt: fc.integer({ min: 0, max: 40 }),
  inputLength: fc.oneof(fc.integer({ min: 32, max: 70 }), fc.integer({ min: 0, max: 330 })),
  outputAt: fc.integer({ min: 400, max: 440 }),
  outputLength: fc.oneof(fc.constantFrom(0, 32, 36, 64), fc.integer({ min: 0, max: 330 })),
});

test('inputs and return data of calls in calls are those of @ethereumjs/evm, whatever their lengths and offsets', async () => {
  await fc.assert(
    fc.asyncProperty(shape, async (places) => {
      const code = nestedCalls(places);
      const call = { data: `0x${'4'.padStart(64, '0')}` as Hex, gas: 20_000_000n };
      const expected = await callCode(code, call, { engine: reference });
      expect(expected).toMatchObject({ kind: 'success' });
      for (const engine of engines) expect(await callCode(code, call, { engine })).toEqual(expected);
    }),
    { numRuns: 60, seed: Number(process.env.FUZZ_SEED ?? 1) },
  );
});
