import type { Hex } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { createInterpreterEngine } from '@cairn/evm';
import { createCompiledEngine } from '@cairn/evm/compiled';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { describe, expect, test } from '@jest/globals';
import { applyMessage } from './apply-message.ts';
import { callContext } from './execute-call.ts';
import { alice, callCode, callTest, contract, optionsFor, other } from './test-chain.fixture.ts';

// EIP-2681: nonces end at 2^64-1. Expected results are those of geth 1.17.5.
const nonceMax = 2n ** 64n - 1n;
const reference = createEthereumjsEngine();
const engines = [reference, createInterpreterEngine(reference), createCompiledEngine(reference)];

describe.each(engines)('$name, an account with the maximum nonce', (engine) => {
  const at = (nonce: bigint) => new Map([[contract, { nonce }]]);

  /** Creates a contract without code and returns its address. */
  const creating = (opcode: 'f0' | 'f5'): Hex => `0x${opcode === 'f5' ? '5f' : ''}5f5f5f${opcode}5f5260205ff3`;

  test.each(['f0', 'f5'] as const)(
    '0x%s pushes 0 and keeps its gas, one below the limit it creates',
    async (opcode) => {
      const run = (nonce: bigint) =>
        callCode(creating(opcode), { gas: 200_000n }, { engine, stateOverrides: at(nonce) });
      const [spent, last] = [await run(nonceMax), await run(nonceMax - 1n)];
      expect(spent).toMatchObject({ kind: 'success', output: `0x${'00'.repeat(32)}` });
      expect(last.kind === 'success' && BigInt(last.output)).toBeGreaterThan(0n);
      expect(spent.gasUsed).toBeLessThan(60_000n);
    },
  );

  test('a creation as a message fails before code runs and uses only its intrinsic gas', async () => {
    const call = { from: alice, data: '0x00', gas: 100_000n } as const;
    const result = await callTest(call, { engine, stateOverrides: new Map([[alice, { nonce: nonceMax }]]) });
    expect(result).toEqual({ kind: 'halt', reason: 'nonce uint64 overflow', gasUsed: 53_006n });
  });

  test('a call wraps the nonce to 0', async () => {
    const options = {
      ...optionsFor({ from: alice, to: other }, { [other]: { balance: 1n } }),
      engine,
      stateOverrides: new Map([[alice, { nonce: nonceMax, balance: 1n }]]),
    };
    const context = callContext(options);
    await applyMessage(context, options.call, { gasLimit: 50_000n });
    const sender = Buffer.from(alice.slice(2), 'hex');
    expect(context.world.getAccount(sender)).toMatchObject({ nonce: 0n, balance: 1n });
  });
});

test('a transaction of such an account is refused', async () => {
  const options = optionsFor({ from: alice, to: other, nonce: nonceMax });
  const context = { ...callContext({ ...options, state: createMemoryState({ [alice]: { nonce: nonceMax } }) }) };
  const checks = { followsNonce: true };
  await expect(applyMessage(context, options.call, { gasLimit: 50_000n, checks })).rejects.toMatchObject({
    code: 'CALL_NONCE_SPENT',
    message: expect.stringContaining(`nonce: ${nonceMax}`),
  });
});
