import { BlockNotFoundError } from '@cairn/blockstore';
import { StoreError } from '@cairn/embedded-store';
import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { ApiError } from './api-error.ts';
import { apiErrorFrom, isStoreFailure } from './error-policy.ts';

test.each([
  ['QUOTA_EXCEEDED', 403],
  ['STORE_FULL', 507],
  ['LIMIT_REACHED', 429],
  ['A_CODE_OF_ANOTHER_PACKAGE', 500],
])('apiErrorFrom gives %s the status %i and the hint', (code, status) => {
  const error = apiErrorFrom(new CairnError(code, 'Too much.', { hint: 'Try less.' }));
  expect(error).toMatchObject({ status, message: expect.stringContaining('Try less.') });
});

test.each([
  ['POSTGRES_UNAVAILABLE', 503, { 'retry-after': '1' }],
  ['OBJECT_STORE_BUSY', 503, { 'retry-after': '1' }],
  ['REDIS_UNAVAILABLE', 503, { 'retry-after': '1' }],
  ['POSTGRES_OUTCOME_UNKNOWN', 500, {}],
  ['POSTGRES_REFUSED', 500, {}],
])('apiErrorFrom gives %s the status %i and names no host', (code, status, headers) => {
  const failure = new CairnError(code, 'db.internal does not answer.', { details: { host: 'db.internal' } });
  expect(apiErrorFrom(failure)).toMatchObject({ status, headers, message: expect.not.stringContaining('db.internal') });
  expect(isStoreFailure(failure)).toBe(true);
});

test('apiErrorFrom names no directory in a failure of the store', () => {
  const failure = new StoreError('STORE_CORRUPT', 'The record in /secret/place is damaged.');
  expect(apiErrorFrom(failure)).toMatchObject({ status: 500, message: expect.not.stringContaining('/secret/place') });
  expect(isStoreFailure(failure)).toBe(true);
});

test('apiErrorFrom reports a missing block in the words of Kubo', () => {
  expect(apiErrorFrom(new BlockNotFoundError('bafk', {}))?.message).toBe(
    'block was not found locally (offline): ipld: could not find bafk',
  );
});

test('apiErrorFrom reports the timeout that ended the wait for a block', () => {
  const cause = new ApiError(500, 'context deadline exceeded: timeout=1s');
  expect(apiErrorFrom(new BlockNotFoundError('bafk', { waitedMs: 1000, cause }))?.message).toBe(
    'context deadline exceeded: timeout=1s: ipld: could not find bafk',
  );
});

test('apiErrorFrom adds the header fields of a 401 and of a pause', () => {
  expect(apiErrorFrom(new CairnError('CREDENTIALS_INVALID', 'No.'))?.headers).toHaveProperty('www-authenticate');
  const paused = new CairnError('ATTEMPTS_PAUSED', 'Wait.', { details: { retryAfterSeconds: 7 } });
  expect(apiErrorFrom(paused)?.headers).toEqual({ 'retry-after': '7' });
});

test('apiErrorFrom returns nothing for an error without a code', () => {
  expect(apiErrorFrom(new Error('a secret'))).toBeUndefined();
});
