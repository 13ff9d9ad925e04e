import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { exitCodeOf, exitCodes } from './exit-codes.ts';

test.each([
  ['SETTINGS_INVALID', exitCodes.settings],
  ['NETWORKS_INVALID', exitCodes.settings],
  ['VALUE_INVALID', exitCodes.usage],
  ['PLAN_NOT_FOUND', exitCodes.notFound],
  ['ACCOUNT_EXISTS', exitCodes.conflict],
  ['PLAN_REQUIRED', exitCodes.conflict],
  ['STORE_IN_USE', exitCodes.conflict],
  ['BACKUP_EMPTY', exitCodes.notFound],
  ['POSTGRES_UNAVAILABLE', exitCodes.unavailable],
  ['COLLECTION_BUSY', exitCodes.unavailable],
  ['POSTGRES_OUTCOME_UNKNOWN', exitCodes.failed],
  ['BLOCK_CORRUPT', exitCodes.failed],
])('an error %s ends with %i', (code, expected) => {
  expect(exitCodeOf(new CairnError(code, 'x'))).toBe(expected);
});

test('mistakes in arguments end with 2, help and version with 0, other errors with 1', () => {
  expect(exitCodeOf(new CommanderError(1, 'commander.unknownCommand', 'x'))).toBe(exitCodes.usage);
  expect(exitCodeOf(new CommanderError(0, 'commander.version', 'x'))).toBe(exitCodes.done);
  expect(exitCodeOf(new Error('x'))).toBe(exitCodes.failed);
});
