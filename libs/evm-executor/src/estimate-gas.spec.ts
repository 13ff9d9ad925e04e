import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateGas } from './estimate-gas.ts';
import { executeCall } from './execute-call.ts';
import { alice, codes, contract, optionsFor, other } from './test-chain.fixture.ts';

const ether = 10n ** 18n;

test('a plain transfer needs 21,000 gas, others need more', async () => {
  expect(await estimateGas(optionsFor({ to: other }))).toEqual({ kind: 'estimate', gas: 21_000n, gasUsed: 21_000n });
  const withList = optionsFor({ to: other, accessList: [{ address: contract, storageKeys: [] }] });
  const { gas } = (await estimateGas(withList)) as { readonly gas: bigint };
  expect([gas >= 23_400n, gas <= (23_400n * 1_016n) / 1_000n]).toEqual([true, true]);
});

test('a message succeeds with the estimate and fails with slightly less', async () => {
  const cases = fc.constantFrom(codes.count, codes.origin, codes.gas, '0x5f5f5500', '0x61010051' as const);
  await fc.assert(
    fc.asyncProperty(cases, fc.uint8Array({ maxLength: 200 }), async (code, data) => {
      const call = { to: contract, data: `0x${Buffer.from(data).toString('hex')}` } as const;
      const accounts = { [contract]: { code } };
      const estimate = await estimateGas(optionsFor(call, accounts));
      if (estimate.kind !== 'estimate') throw new Error(estimate.kind);
      // Sum over all attempts; the last two alone use about twice the estimate.
      expect(estimate.gasUsed).toBeGreaterThan(estimate.gas);
      const withGas = (gas: bigint) => executeCall(optionsFor({ ...call, gas }, accounts));
      expect(await withGas(estimate.gas)).toMatchObject({ kind: 'success' });
      const less = await withGas((estimate.gas * 97n) / 100n).catch(() => ({ kind: 'refused' }));
      expect(less.kind).not.toBe('success');
    }),
    { numRuns: 50 },
  );
});

describe('a message that fails', () => {
  test('returns its revert, its halt, or that the allowance is too low', async () => {
    const of = (code: `0x${string}`, gas?: bigint) =>
      estimateGas(optionsFor({ to: contract, ...(gas && { gas }) }, { [contract]: { code } }));
    expect(await of(codes.refuse)).toMatchObject({ kind: 'revert', message: 'execution reverted: no' });
    expect(await of('0xfe')).toMatchObject({ kind: 'halt', reason: 'invalid opcode: INVALID' });
    expect(await of(codes.spin, 100_000n)).toMatchObject({ reason: 'gas required exceeds allowance (100000)' });
  });

  test("is refused with geth's message and the gas of the attempt", async () => {
    const refusal = (call: object) => estimateGas(optionsFor({ from: alice, to: contract, data: '0x01', ...call }));
    await expect(refusal({ maxPriorityFeePerGas: 1n })).rejects.toThrow(
      /^failed with 16777216 gas: max priority fee per gas higher than max fee per gas: address 0x/,
    );
    await expect(refusal({ value: 1n, gas: 30_000n })).rejects.toThrow(
      /^failed with 30000 gas: insufficient funds for gas \* price \+ value: address 0x\w{40} have 0 want 1$/,
    );
    // With a fee, a balance equal to the value is not enough.
    await expect(refusal({ maxFeePerGas: 7n })).rejects.toThrow(/^insufficient funds for transfer$/);
    const floor = { gas: 21_040n, data: `0x${'ff'.repeat(2)}` };
    await expect(refusal(floor)).rejects.toThrow(
      'failed with 21040 gas: insufficient gas for floor data gas cost: have 21040, want 21080',
    );
    expect(await refusal({ gas: 21_001n })).toMatchObject({ reason: 'gas required exceeds allowance (21001)' });
  });

  test('does not move precompiles, as in geth', async () => {
    const identity = `0x${'00'.repeat(19)}04` as const;
    const options = optionsFor({ from: alice, to: identity, data: '0x01' });
    const stateOverrides = new Map([[identity, { code: codes.spin }]]);
    expect(await estimateGas({ ...options, stateOverrides })).toMatchObject({ kind: 'estimate' });
    expect(await executeCall({ ...options, stateOverrides })).toMatchObject({ kind: 'halt' });
  });

  test('runs overridden code at a precompile to which an account delegates', async () => {
    const identity = `0x${'00'.repeat(19)}04` as const;
    const options = optionsFor({ from: alice, to: contract, data: '0x01' });
    const stateOverrides = new Map([
      [identity, { code: codes.spin }],
      [contract, { code: `0xef0100${identity.slice(2)}` as const }],
    ]);
    expect(await estimateGas({ ...options, stateOverrides })).toMatchObject({ kind: 'halt' });
    expect(await executeCall({ ...options, stateOverrides })).toMatchObject({ kind: 'halt' });
    stateOverrides.delete(identity);
    expect(await estimateGas({ ...options, stateOverrides })).toMatchObject({ kind: 'estimate' });
  });

  test('for lack of funds reports the gas that the balance covers', async () => {
    const poor = { [alice]: { balance: 30_000n * 10n } };
    const call = { from: alice, to: contract, maxFeePerGas: 10n };
    const accounts = { ...poor, [contract]: { code: codes.count } };
    expect(await estimateGas(optionsFor(call, accounts))).toMatchObject({
      kind: 'halt',
      reason: 'gas required exceeds allowance (30000)',
    });
    await expect(estimateGas(optionsFor({ ...call, value: ether }, accounts))).rejects.toMatchObject({
      code: 'CALL_FUNDS_INSUFFICIENT',
    });
  });
});
