import { AuthError } from '@cairn/auth';
import { InvalidValueError } from '@cairn/block-model';
import { CairnError } from '@cairn/errors';
import { CallRejectedError, ExecutionError } from '@cairn/evm-executor';
import { describe, expect, test } from '@jest/globals';
import { isForOperator, rpcErrorFrom } from './rpc-errors.ts';

describe('rpcErrorFrom', () => {
  test.each([
    ['VALUE_INVALID', -32602],
    ['CALL_FUNDS_INSUFFICIENT', -32000],
    ['STATE_UNAVAILABLE', -32000],
    ['BLOCK_CORRUPT', -32000],
    ['EXECUTION_TIMEOUT', -32000],
    ['EXECUTION_QUEUE_FULL', -32005],
    ['EXECUTION_CLOSED', -32002],
  ])('converts %s to %d, with message and hint', (code, rpcCode) => {
    const error = rpcErrorFrom(new CairnError(code, 'What happened.', { hint: 'What to do.' }));
    expect(error).toMatchObject({ rpcCode, message: 'What happened. What to do.' });
  });

  test('adds details as data only for limits', () => {
    const details = { limit: 'queue' };
    expect(rpcErrorFrom(new CairnError('EXECUTION_QUEUE_FULL', 'x', { details }))?.data).toEqual(details);
    expect(rpcErrorFrom(new CairnError('STATE_UNAVAILABLE', 'x', { details }))?.data).toBeUndefined();
  });

  test.each([
    ['an error without a code', new Error('planted secret')],
    ['a thrown string', 'planted secret'],
    ['a code that only the operator may see', new CairnError('STORE_CORRUPT', 'planted secret')],
    ['a code named like a member of every object', new CairnError('constructor', 'planted secret')],
    ['an authentication error', new AuthError('ACCOUNT_SUSPENDED', 'planted secret')],
  ])('hides %s', (_, error) => {
    expect(rpcErrorFrom(error)).toBeUndefined();
  });

  test.each([
    ['UPSTREAMS_UNAVAILABLE', -32002],
    ['UPSTREAMS_DISAGREE', -32002],
    ['UPSTREAM_REFUSED', -32000],
  ])('%s names the kind of failure, without hosts and texts of upstreams', (code, rpcCode) => {
    const message = 'No upstream answered (key.node.example: see https://node.example/KEY).';
    const details = { attempts: [{ upstream: 'key.node.example' }] };
    const error = new CairnError(code, message, { hint: 'Check key.node.example.', details });
    const converted = rpcErrorFrom(error);
    expect(converted).toMatchObject({ rpcCode, data: undefined });
    expect(converted?.message).toMatch(/^(No|The) upstreams? of the network [^:/]*$/);
    expect(isForOperator(error)).toBe(true);
  });

  test('converts errors of the libraries', () => {
    expect(rpcErrorFrom(new InvalidValueError('call.gas', 'a quantity', 5))?.rpcCode).toBe(-32602);
    expect([CallRejectedError, ExecutionError].every((type) => type.prototype instanceof CairnError)).toBe(true);
  });
});
