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
