import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedTasks, outputByTask } from './task-output.mjs';

const first = [
  '\u001b[1m> nx run @cairn/cid:test\u001b[22m  [local cache]',
  '',
  'Tests:       1 failed, 1 total',
  '> nx run @cairn/auth:test',
  'Tests:       2 passed, 2 total',
  '',
  ' NX   Running targets test for 2 projects failed',
  '',
  'Failed tasks:',
  '',
  '- @cairn/cid:test',
  '- @cairn/tools:lint',
  '',
  '  Run duration:      8m 42s',
  '',
].join('\n');

test('outputByTask keeps the last output of each task', () => {
  const tasks = outputByTask(`${first}\n> nx run @cairn/cid:test\nTests:       1 passed, 1 total\n`);
  assert.deepEqual([...tasks.keys()], ['@cairn/cid:test', '@cairn/auth:test']);
  assert.match(tasks.get('@cairn/cid:test'), /1 passed/);
  assert.doesNotMatch(tasks.get('@cairn/cid:test'), /failed/);
});

test('failedTasks reads the list of nx', () => {
  assert.deepEqual(failedTasks(first), ['@cairn/cid:test', '@cairn/tools:lint']);
  assert.deepEqual(failedTasks('> nx run @cairn/cid:test\n'), []);
});
