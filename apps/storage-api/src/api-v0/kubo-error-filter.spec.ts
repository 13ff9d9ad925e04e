import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { ApiError, prefixed } from './api-error.ts';
import { errorBody, knownError } from './kubo-error-filter.ts';

test.each([
  ['an error without a code', new Error('a secret')],
  ['a damaged store', new CairnError('STORE_CORRUPT', 'The record in /secret/place is damaged.')],
  ['an engine that refuses', new CairnError('POSTGRES_REFUSED', 'db.internal')],
  ['a corrupt block', new CairnError('BLOCK_CORRUPT', 'The block bafk is corrupt.')],
])('knownError marks %s as a fault of the service, also after a prefix, with the body of Kubo', (_name, error) => {
  const known = knownError(error, 'r1');
  for (const each of [known, prefixed(known, 'pin')]) {
    expect(each.headers).toMatchObject({ 'x-cairn-fault': '1' });
    expect(errorBody(each)).toMatchObject({ Code: 0, Type: 'error' });
  }
});

test.each([
  ['a name that is taken', new CairnError('IPNS_KEY_EXISTS', '', { details: { label: 'web' } }), 0],
  ['a missing pin', new CairnError('PIN_NOT_FOUND', ''), 0],
  ['a reserved name', new ApiError(500, "cannot create key with name 'self'"), 0],
  ['a bad option', new ApiError(400, 'bad'), 1],
])('knownError marks %s as no fault, with the number of Kubo', (_name, error, code) => {
  const known = knownError(error, 'r1');
  expect(known.headers).not.toHaveProperty('x-cairn-fault');
  expect(errorBody(known).Code).toBe(code);
});
