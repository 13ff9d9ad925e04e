import type { Hex } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from './engine/create-engine.ts';
import { callCode, callTest, codes, contract, other } from './test-chain.fixture.ts';

const past = { at: 0, timeoutMs: 7 };
const never = { at: Number.POSITIVE_INFINITY, timeoutMs: 7 };
const timeout = { code: 'EXECUTION_TIMEOUT', message: 'execution aborted (timeout = 7ms)' };
/** Calls `other` in an endless loop. */
const loopOfCalls = `0x5b5f5f5f5f5f73${other.slice(2)}5af1505f56` as Hex;

describe.each(['compiled', 'interpreter'] as const)('a deadline in the engine %s', (name) => {
  const engine = createEngine(name);

  test('ends a loop', async () => {
    await expect(callCode(codes.spin, {}, { engine, limits: { deadline: past } })).rejects.toMatchObject(timeout);
  });

  test('ends a loop of short calls, and a loop of recursive calls', async () => {
    const accounts = { [contract]: { code: loopOfCalls }, [other]: { code: '0x00' as Hex } };
    const calls = callTest({ to: contract }, { engine, accounts, limits: { deadline: past } });
    await expect(calls).rejects.toMatchObject(timeout);
    const branching = '0x5b5f5f5f5f5f305af1505f56';
    await expect(callCode(branching, {}, { engine, limits: { deadline: past } })).rejects.toMatchObject(timeout);
  });

  test('ends a loop of calls that use all their gas and fail', async () => {
    const accounts = { [contract]: { code: loopOfCalls }, [other]: { code: '0xfe' as Hex } };
    const calls = callTest({ to: contract }, { engine, accounts, limits: { deadline: { ...past, gasBetween: 1000 } } });
    await expect(calls).rejects.toMatchObject(timeout);
  });

  test('ends a message after a precompile that is slow for its gas', async () => {
    const pairing = '0x60205f5f5f60085afa'; // Empty input: 45,000 gas.
    await expect(callCode(pairing, {}, { engine, limits: { deadline: past } })).rejects.toMatchObject(timeout);
  });

  test('ends a precompile that runs for minutes', async () => {
    // BLAKE2F with 2^32-1 rounds.
    const rounds = '0x63ffffffff60e01b5f525f5f60d55f60095afa' as const;
    const call = { gas: 5_000_000_000n };
    const limits = { deadline: past, gasCapMultiplier: 1_000 };
    await expect(callCode(rounds, call, { engine, limits })).rejects.toMatchObject(timeout);
  });

  test('does not end a message that finishes before the first check, and does not change its gas', async () => {
    const gas = 3_000_000n;
    const without = await callCode(codes.spin, { gas }, { engine });
    expect(without).toMatchObject({ kind: 'halt', reason: 'out of gas' });
    for (const deadline of [never, { ...never, gasBetween: 10 }])
      expect(await callCode(codes.spin, { gas }, { engine, limits: { deadline } })).toEqual(without);
    expect(await callCode(codes.gas, {}, { engine, limits: { deadline: past } })).toMatchObject({ kind: 'success' });
  });
});
