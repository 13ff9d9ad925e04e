import { setTimeout } from 'node:timers/promises';
import { hasConformanceCases } from '@cairn/block-model/testing';
import { isCairnError } from '@cairn/errors';
import type { CallEngine } from '@cairn/evm';
import { createInterpreterEngine } from '@cairn/evm';
import { compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type StateTestCase, stateTestCases, stateTestFolders } from './state-tests.fixture.ts';

// General state tests of ethereum/tests: a state, a transaction, and the expected state root and logs hash. All cases run with
// every code compiled first; every third case also runs on the interpreter. STATE_TEST_ENGINE=ethereumjs, interpreter or compiled
// runs all cases on that engine; ethereumjs takes some minutes.
const reference = createEthereumjsEngine();
const engines = {
  ethereumjs: () => reference,
  interpreter: () => createInterpreterEngine(reference),
  compiled: () =>
    createCompiledEngine(reference, {
      ...compileLimits,
      callsMin: 1,
      callsMax: 1,
      bytesPerCall: Number.POSITIVE_INFINITY,
    }),
};
const chosen = process.env.STATE_TEST_ENGINE as keyof typeof engines | undefined;
const names: readonly (keyof typeof engines)[] = chosen === undefined ? ['interpreter', 'compiled'] : [chosen];

/** Cases that run for hours, on geth too. They must end with EXECUTION_TIMEOUT. */
const endless = /loopExp|loopMul|CALLBlake2f_MaxRounds/;

/** Runs a case and returns the difference from the expected result, or undefined. */
async function faultOf({ name, expected, refusals, run }: StateTestCase, engine: CallEngine) {
  try {
    const { root, logs, applied } = await run(engine);
    const isRight = refusals === undefined && root === expected.root && logs === expected.logs;
    return isRight ? undefined : { applied };
  } catch (error) {
    if (!isCairnError(error)) throw error;
    const isExpected = refusals?.includes(error.code) ?? (error.code === 'EXECUTION_TIMEOUT' && endless.test(name));
    return isExpected ? undefined : { refused: error.message };
  }
}

if (!hasConformanceCases) {
  test.skip('general state tests (skipped: ../shared/conformance is not here)', () => {});
} else {
  describe.each(names)('general state tests on the engine %s', (name) => {
    const engine = engines[name]();
    // Keccak is compiled in the background and ready once this thread has been idle.
    beforeAll(() => setTimeout(100));
    test.each(stateTestFolders())(
      '%s',
      async (folder) => {
        const all = stateTestCases(folder);
        const cases = chosen === undefined && name === 'interpreter' ? all.filter((_, at) => at % 3 === 0) : all;
        const wrong: unknown[] = [];
        for (const each of cases) {
          const fault = await faultOf(each, engine);
          if (fault !== undefined) wrong.push({ test: each.name, ...fault });
        }
        expect(wrong).toEqual([]);
      },
      300_000,
    );
  });
}
