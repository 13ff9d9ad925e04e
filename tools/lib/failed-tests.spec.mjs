import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedTests } from './failed-tests.mjs';

test('failedTests names the failed tests of jest, the Node runner and mocha, each once', () => {
  const output = [
    '  ● Console',
    '  ● names in a browser › a name is created',
    '    expect(received).toBe(expected)',
    'Summary of all failing tests',
    '\u001b[1m  ● names in a browser › a name is created\u001b[22m',
    '    not ok 2 - refuses an unknown option',
    'ok 3 - passes',
    '  418 passing (4m)',
    '  1 failing',
    '',
    '  1) ping',
    '       .ping',
    '         should fail:',
    '',
    '      AssertionError: expected 1 to equal 2',
  ].join('\n');
  assert.deepEqual(failedTests(output), [
    'names in a browser › a name is created',
    'refuses an unknown option',
    'ping › .ping › should fail',
  ]);
});
