import { type Hex, hexFromBytes, knownChainSpec } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { op } from '@cairn/evm-compiler/opcodes';
import { describe, expect, test } from '@jest/globals';
import type { CallEngine } from '../call-engine.ts';
import { compileLimits } from '../compiled/compiled-codes.ts';
import { createCompiledEngine } from '../compiled/compiled-engine.ts';
import { forkRules } from '../forks/rules-at.ts';
import { StateCache } from '../state/state-cache.ts';
import { WorldState } from '../state/world-state.ts';
import { createInterpreterEngine } from './interpreter-engine.ts';

const noEngine: CallEngine = { name: 'none', run: () => Promise.reject(new Error('A message was left to no engine.')) };
const engines: readonly CallEngine[] = [
  createInterpreterEngine(noEngine),
  createCompiledEngine(noEngine, {
    ...compileLimits,
    callsMin: 1,
    callsMax: 1,
    bytesPerCall: Number.POSITIVE_INFINITY,
  }),
];
const contract = new Uint8Array(20).fill(0xc0);
/** On mainnet, the first block of Osaka. */
const place = { number: 23_935_694n, timestamp: 1_764_798_551n };
const word = (value: bigint) => [...Buffer.from(value.toString(16).padStart(64, '0'), 'hex')];

/** Runs an opcode on operands, the first one on top of the stack, and returns the word that it pushes, on all engines. */
async function resultOf(opcode: number, operands: readonly bigint[]): Promise<bigint> {
  const pushes = [...operands].reverse().flatMap((operand) => [op.PUSH32, ...word(operand)]);
  const returns = [op.PUSH0, op.MSTORE, op.PUSH1, 32, op.PUSH0, op.RETURN];
  const code: Hex = hexFromBytes(Uint8Array.from([...pushes, opcode, ...returns]));
  const results = new Set<bigint>();
  for (const engine of engines) {
    const { kind, output } = await engine.run({
      rules: forkRules(knownChainSpec('main', 'mainnet'), place),
      block: {
        ...place,
        gasLimit: 60_000_000n,
        coinbase: hexFromBytes(contract),
        difficulty: 0n,
        prevRandao: `0x${'00'.repeat(32)}`,
      },
      world: new WorldState(StateCache.of(createMemoryState({ [hexFromBytes(contract)]: { code } }))),
      blockHash: () => undefined,
      sender: new Uint8Array(20),
      to: contract,
      value: 0n,
      data: new Uint8Array(0),
      gas: 100_000n,
      gasPrice: 0n,
      blobVersionedHashes: [],
      warm: [],
      precompiles: { removed: new Set(), moved: new Map() },
    });
    expect(kind).toBe('success');
    results.add(BigInt(hexFromBytes(output)));
  }
  expect(results.size).toBe(1);
  return [...results][0] as bigint;
}

describe('opcodes since Constantinople return what their EIPs list', () => {
  // EIP-145, test cases.
  test('SHL, SHR and SAR shift by the top of the stack', async () => {
    expect(await resultOf(op.SHL, [0xffn, 1n])).toBe(2n ** 255n);
    expect(await resultOf(op.SHR, [1n, 2n ** 255n])).toBe(2n ** 254n);
    expect(await resultOf(op.SAR, [0xffn, 2n ** 255n])).toBe(2n ** 256n - 1n);
  });

  // EIP-7939, test cases.
  test.each([
    [0n, 256n],
    [2n ** 255n, 0n],
    [2n ** 254n, 1n],
    [1n, 255n],
  ])('CLZ of %s is %s', async (operand, expected) => {
    expect(await resultOf(op.CLZ, [operand])).toBe(expected);
  });
});
