import { AuthError } from '@cairn/auth';
import { InvalidValueError } from '@cairn/block-model';
import { CairnError } from '@cairn/errors';
import { CallRejectedError, ExecutionError } from '@cairn/evm-executor';
import { describe, expect, test } from '@jest/globals';
import { rpcErrorFrom } from './rpc-errors.ts';

describe('rpcErrorFrom', () => {
  test.each([
    ['VALUE_INVALID', -32602],
    ['CALL_FUNDS_INSUFFICIENT', -32000],
    ['STATE_UNAVAILABLE', -32000],
    ['BLOCK_CORRUPT', -32000],
    ['EXECUTION_TIMEOUT', -32000],
    ['EXECUTION_QUEUE_FULL', -32005],
    ['EXECUTION_CLOSED', -32002],
  ])('%s becomes %d, its message with its hint', (code, rpcCode) => {
    const error = rpcErrorFrom(new CairnError(code, 'What happened.', { hint: 'What to do.' }));
    expect(error).toMatchObject({ rpcCode, message: 'What happened. What to do.' });
  });

  test('only a limit says more than its message', () => {
    const details = { limit: 'queue' };
    expect(rpcErrorFrom(new CairnError('EXECUTION_QUEUE_FULL', 'x', { details }))?.data).toEqual(details);
    expect(rpcErrorFrom(new CairnError('STATE_UNAVAILABLE', 'x', { details }))?.data).toBeUndefined();
  });

  test.each([
    ['an error of no lib', new Error('planted secret')],
    ['no error', 'planted secret'],
    ['a code that is the operator’s alone', new CairnError('STORE_CORRUPT', 'planted secret')],
    ['a code named as a member of every object', new CairnError('constructor', 'planted secret')],
    ['an error of the door', new AuthError('ACCOUNT_SUSPENDED', 'planted secret')],
  ])('%s is not told', (_, error) => {
    expect(rpcErrorFrom(error)).toBeUndefined();
  });

  test('what the libs throw is known', () => {
    expect(rpcErrorFrom(new InvalidValueError('call.gas', 'a quantity', 5))?.rpcCode).toBe(-32602);
    expect([CallRejectedError, ExecutionError].every((type) => type.prototype instanceof CairnError)).toBe(true);
  });
});
