import { hasConformanceCases } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { compileLimits } from './engine/compiled/compiled-codes.ts';
import { createCompiledEngine } from './engine/compiled/compiled-engine.ts';
import { createEthereumjsEngine } from './engine/ethereumjs-engine.ts';
import { createInterpreterEngine } from './engine/interpreter/interpreter-engine.ts';
import { stateTestCases, stateTestFolders } from './state-tests.fixture.ts';

// General state tests of ethereum/tests: a world, a transaction, and the state root and logs hash that it ends with.
// STATE_TEST_ENGINE=ethereumjs runs them on the reference, which takes some minutes; compiled compiles every code first.
const reference = createEthereumjsEngine();
const engines = {
  ethereumjs: () => reference,
  interpreter: () => createInterpreterEngine(reference),
  compiled: () => createCompiledEngine(reference, { ...compileLimits, callsMin: 1 }),
};
const engine = engines[(process.env.STATE_TEST_ENGINE as keyof typeof engines | undefined) ?? 'interpreter']();

if (!hasConformanceCases) {
  test.skip('general state tests (skipped: ../shared/conformance is not here)', () => {});
} else {
  describe(`general state tests on the engine ${engine.name}`, () => {
    test.each(stateTestFolders())(
      '%s',
      async (folder) => {
        const cases = stateTestCases(folder);
        const wrong: unknown[] = [];
        for (const { name, expected, run } of cases) {
          const { root, logs, applied } = await run(engine);
          if (root !== expected.root || logs !== expected.logs) wrong.push({ name, applied });
        }
        expect(wrong).toEqual([]);
      },
      300_000,
    );
  });
}
