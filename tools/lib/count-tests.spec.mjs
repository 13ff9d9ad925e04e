import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTests } from './count-tests.mjs';

test('countTests sums the summaries of jest, mocha and the Node runner', () => {
  const output = [
    'Tests:       1 failed, 2 skipped, 3 passed, 6 total',
    '\u001b[1mTests:\u001b[22m       8 passed, 8 total',
    'ℹ pass 5',
    'ℹ fail 1',
    '# skipped 2',
    '  444 passing (1m)',
    '  2 pending',
    '  1 failing',
    'Tests: as a heading in some log',
  ].join('\n');
  assert.deepEqual(countTests(output), { passed: 460, failed: 3, skipped: 6 });
});
