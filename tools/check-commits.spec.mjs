import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitFaults } from './check-commits.mjs';

const refused = [
  ['a subject of 73 characters', `fix(pinning): ${'x'.repeat(59)}`, /has 73 characters, at most 72/],
  ['a subject without a type', 'count a shared block once', /does not start with a type/],
  ['a subject with a full stop', 'fix: count a shared block once.', /full stop/],
  ['a body without an empty line', 'fix: count a shared block once\nReason.', /second line/],
  ['a subject that opens with What', 'feat: What a block costs', /"What" in the subject/],
  ['a word of the language rules', 'feat: release locks at once', /"at once" in the subject/],
];
for (const [name, message, fault] of refused)
  test(`commit check refuses ${name}`, () => assert.match(commitFaults(message).join('\n'), fault));

const accepted = [
  `fix(pinning): ${'x'.repeat(58)}`,
  'refactor!: rename doors to transports\n\nThe body may use the word told.',
  "Merge branch 'main' into topic",
  'Revert "feat: whoever executes blocks is a port"',
];
for (const message of accepted)
  test(`commit check accepts ${JSON.stringify(message.slice(0, 40))}`, () =>
    assert.deepEqual(commitFaults(message), []));
