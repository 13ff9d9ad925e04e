import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { errorAnswerOf } from './console-error.filter.ts';

test.each([
  ['POSTGRES_UNAVAILABLE', 503, { 'retry-after': '1' }],
  ['REDIS_UNAVAILABLE', 503, { 'retry-after': '1' }],
  ['POSTGRES_OUTCOME_UNKNOWN', 500, undefined],
  ['POSTGRES_REFUSED', 500, undefined],
])('errorAnswerOf gives %s the status %i and names no host', (code, status, headers) => {
  const answer = errorAnswerOf(new CairnError(code, 'db.internal does not answer.'));
  expect(answer).toMatchObject({ status, body: { code } });
  expect(answer.headers).toEqual(headers);
  expect(JSON.stringify(answer)).not.toContain('db.internal');
});

test.each([
  ['ADDRESS_INVALID', 400],
  ['ADDRESS_REFUSED', 400],
  ['PEER_NOT_CONNECTED', 404],
  ['DIAL_FAILED', 502],
  ['PEER_UNAVAILABLE', 502],
])('errorAnswerOf gives %s of the IPFS peer the status %i and its reason', (code, status) => {
  const error = new CairnError(code, 'The peer is not reached.', { hint: 'Check its address.' });
  expect(errorAnswerOf(error)).toMatchObject({
    status,
    body: { code, message: 'The peer is not reached.', hint: 'Check its address.' },
  });
});
