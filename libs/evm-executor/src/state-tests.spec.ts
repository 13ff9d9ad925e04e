import { hasConformanceCases } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { compileLimits } from './engine/compiled/compiled-codes.ts';
import { createCompiledEngine } from './engine/compiled/compiled-engine.ts';
import { createEthereumjsEngine } from './engine/ethereumjs-engine.ts';
import { createInterpreterEngine } from './engine/interpreter/interpreter-engine.ts';
import { stateTestCases, stateTestFolders } from './state-tests.fixture.ts';

// General state tests of ethereum/tests: a world, a transaction, and the state root and logs hash that it ends with.
// On the interpreter, and with every code compiled before it runs. STATE_TEST_ENGINE=ethereumjs runs them on the reference, which
// takes some minutes; the other names choose one of the two.
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

if (!hasConformanceCases) {
  test.skip('general state tests (skipped: ../shared/conformance is not here)', () => {});
} else {
  describe.each(names)('general state tests on the engine %s', (name) => {
    const engine = engines[name]();
    test.each(stateTestFolders())(
      '%s',
      async (folder) => {
        const cases = stateTestCases(folder);
        const wrong: unknown[] = [];
        for (const { name: test, expected, run } of cases) {
          const { root, logs, applied } = await run(engine);
          if (root !== expected.root || logs !== expected.logs) wrong.push({ test, applied });
        }
        expect(wrong).toEqual([]);
      },
      300_000,
    );
  });
}
