import type { Hex } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import type { CallEngine } from '@cairn/evm';
import { createCompareEngine, createInterpreterEngine, type EngineDifference } from '@cairn/evm';
import { compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { expect, test } from '@jest/globals';
import { executeCall } from '../execute-call.ts';
import { testHeader, testSpec } from '../test-chain.fixture.ts';

const contract: Hex = `0x${'c0'.repeat(20)}`;
/** Writes 7 to slot 1, emits a log and returns the block number. */
const state = () => createMemoryState({ [contract]: { code: '0x60076001555f5fa04360005260206000f3' } });

async function differences(one: CallEngine, other: CallEngine): Promise<EngineDifference[]> {
  const found: EngineDifference[] = [];
  const engine = createCompareEngine(one, other, (difference) => found.push(difference));
  const place = { spec: testSpec, header: testHeader, state: state(), blockHashes: () => undefined };
  const [compared, alone] = [
    await executeCall({ ...place, call: { to: contract }, engine }),
    await executeCall({ ...place, call: { to: contract }, engine: other }),
  ];
  expect(compared).toEqual(alone);
  return found;
}

const reference = createEthereumjsEngine();
const interpreter = createInterpreterEngine(reference);

test('createCompareEngine reports nothing for engines with equal results', async () => {
  expect(
    await differences(
      createCompiledEngine(reference, {
        ...compileLimits,
        callsMin: 1,
        callsMax: 1,
        bytesPerCall: Number.POSITIVE_INFINITY,
      }),
      interpreter,
    ),
  ).toEqual([]);
  expect(await differences(interpreter, reference)).toEqual([]);
});

test('createCompareEngine reports differences in gas, output and state with their names', async () => {
  const wrong: CallEngine = {
    name: 'wrong',
    async run(message) {
      const outcome = await interpreter.run(message);
      message.world.setStorage(
        message.to ?? new Uint8Array(20),
        Buffer.from('01'.padStart(64, '0'), 'hex'),
        Buffer.from([9]),
      );
      return { ...outcome, gasUsed: outcome.gasUsed + 1n };
    },
  };
  const found = await differences(wrong, interpreter);
  expect(found.map(({ field }) => field)).toEqual(['gasUsed', `${contract} 0x${'01'.padStart(64, '0')}`]);
});
