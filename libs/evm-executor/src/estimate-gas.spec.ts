import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateGas } from './estimate-gas.ts';
import { executeCall } from './execute-call.ts';
import { alice, codes, contract, optionsFor, other } from './test-chain.fixture.ts';

const ether = 10n ** 18n;

test('a transfer takes 21,000, and more where it is not plain', async () => {
  expect(await estimateGas(optionsFor({ to: other }))).toEqual({ kind: 'estimate', gas: 21_000n });
  const withList = optionsFor({ to: other, accessList: [{ address: contract, storageKeys: [] }] });
  const { gas } = (await estimateGas(withList)) as { readonly gas: bigint };
  expect([gas >= 23_400n, gas <= (23_400n * 1_016n) / 1_000n]).toEqual([true, true]);
});

test('what succeeds does so with the estimate, and not with much less', async () => {
  const cases = fc.constantFrom(codes.count, codes.origin, codes.gas, '0x5f5f5500', '0x61010051' as const);
  await fc.assert(
    fc.asyncProperty(cases, fc.uint8Array({ maxLength: 200 }), async (code, data) => {
      const call = { to: contract, data: `0x${Buffer.from(data).toString('hex')}` } as const;
      const accounts = { [contract]: { code } };
      const estimate = await estimateGas(optionsFor(call, accounts));
      if (estimate.kind !== 'estimate') throw new Error(estimate.kind);
      const withGas = (gas: bigint) => executeCall(optionsFor({ ...call, gas }, accounts));
      expect(await withGas(estimate.gas)).toMatchObject({ kind: 'success' });
      const less = await withGas((estimate.gas * 97n) / 100n).catch(() => ({ kind: 'refused' }));
      expect(less.kind).not.toBe('success');
    }),
    { numRuns: 50 },
  );
});

describe('what does not succeed', () => {
  test('tells its revert, its halt, or that no gas is enough', async () => {
    const of = (code: `0x${string}`, gas?: bigint) =>
      estimateGas(optionsFor({ to: contract, ...(gas && { gas }) }, { [contract]: { code } }));
    expect(await of(codes.refuse)).toMatchObject({ kind: 'revert', message: 'execution reverted: no' });
    expect(await of('0xfe')).toMatchObject({ kind: 'halt', reason: 'invalid opcode: INVALID' });
    expect(await of(codes.spin, 100_000n)).toMatchObject({ reason: 'gas required exceeds allowance (100000)' });
  });

  test('for want of funds says what can be paid', async () => {
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
