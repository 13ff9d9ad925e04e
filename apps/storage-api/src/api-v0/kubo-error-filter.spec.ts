import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { ApiError, prefixed } from './api-error.ts';
import { errorBody, knownError } from './kubo-error-filter.ts';

test.each([
  ['an error without a code', new Error('a secret')],
  ['a damaged store', new CairnError('STORE_CORRUPT', 'The record in /secret/place is damaged.')],
  ['an engine that refuses', new CairnError('POSTGRES_REFUSED', 'db.internal')],
  ['a corrupt block', new CairnError('BLOCK_CORRUPT', 'The block bafk is corrupt.')],
])('errorBody gives %s the number of a fault of the service, also after a prefix', (_name, error) => {
  const known = knownError(error, 'r1');
  for (const each of [known, prefixed(known, 'pin')]) expect(errorBody(each)).toMatchObject({ Code: 2, Type: 'error' });
});

test.each([
  ['a name that is taken', new CairnError('IPNS_KEY_EXISTS', '', { details: { label: 'web' } }), 0],
  ['a missing pin', new CairnError('PIN_NOT_FOUND', ''), 0],
  ['a reserved name', new ApiError(500, "cannot create key with name 'self'"), 0],
  ['a bad option', new ApiError(400, 'bad'), 1],
])('errorBody gives %s the number of Kubo', (_name, error, code) => {
  expect(errorBody(knownError(error, 'r1')).Code).toBe(code);
});
