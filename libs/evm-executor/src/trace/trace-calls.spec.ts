import type { Hex } from '@cairn/block-model';
import type { MemoryAccount } from '@cairn/block-model/testing';
import { expect, test } from '@jest/globals';
import type { CallRequest } from '../call-request.ts';
import { alice, codes, contract, optionsFor } from '../test-chain.fixture.ts';
import { parseTraceTypes } from './parity/parse-trace-types.ts';
import { traceCalls } from './trace-calls.ts';

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

async function trace(calls: readonly CallRequest[], types: readonly string[], accounts: Record<Hex, MemoryAccount>) {
  const { call, ...place } = optionsFor({}, accounts);
  const options = parseTraceTypes('types', types);
  const { json } = await traceCalls(
    place,
    calls.map((each) => ({ call: each, options })),
  );
  return JSON.parse(json);
}
const counting = { [contract]: { code: codes.count } } as const;
const count = { from: alice, to: contract, gas: 100_000n };

test('each call sees the changes of those before it', async () => {
  const found = await trace([count, count, count], [], counting);
  expect(found.map(({ output }: { readonly output: string }) => output)).toEqual([word(0), word(1), word(2)]);
});

test('each state difference starts at the end of the call before', async () => {
  const [, second] = await trace([count, count], ['stateDiff'], counting);
  expect(second.stateDiff[contract].storage).toEqual({ [word(0)]: { '*': { from: word(1), to: word(2) } } });
  expect(second.stateDiff[alice].nonce).toEqual({ '*': { from: '0x1', to: '0x2' } });
});

test('each call pays for its slots as a transaction of its own', async () => {
  const found = await trace([count, count], ['trace'], counting);
  const used = found.map(
    ({ trace }: { readonly trace: readonly { readonly result: { readonly gasUsed: string } }[] }) =>
      Number(trace[0]?.result.gasUsed),
  );
  // 20,000 for a new slot, then 2,900 for a changed one; both are cold.
  expect(used[0] - used[1]).toBe(20_000 - 2_900);
});

test('a refused call ends the whole request, and the error names its position', async () => {
  const poor = { ...count, value: 1n };
  await expect(trace([count, poor], ['trace'], counting)).rejects.toMatchObject({
    code: 'CALL_FUNDS_INSUFFICIENT',
    message: expect.stringMatching(/^call 1: insufficient funds/),
    details: { index: 1 },
  });
});
