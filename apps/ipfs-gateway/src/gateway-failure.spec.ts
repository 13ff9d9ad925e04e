import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { failureResponse, isServiceFault } from './gateway-failure.ts';

test.each([
  ['CREDENTIALS_INVALID', 401, false],
  ['KEY_SCOPE_MISSING', 403, false],
  ['LIMIT_REACHED', 429, false],
  ['STORE_DAMAGED', 500, true],
  ['POSTGRES_UNAVAILABLE', 503, true],
  ['OBJECT_STORE_UNAVAILABLE', 503, true],
  ['POSTGRES_REFUSED', 500, true],
])('%s gives %i', (code, status, isFault) => {
  const error = new CairnError(code, 'The reason of /data/secret.', { hint: 'Do this.' });
  expect(failureResponse(error, 'id1').status).toBe(status);
  expect(isServiceFault(error)).toBe(isFault);
});

test('a store that does not answer is reported with the time of a retry, and without its address', () => {
  const { text, headers } = failureResponse(new CairnError('POSTGRES_BUSY', 'db.internal is busy.'), 'id1');
  expect(headers).toEqual({ 'retry-after': '1' });
  expect(text).not.toContain('db.internal');
});

test('a fault of the service does not quote its message', () => {
  expect(failureResponse(new Error('/data/secret'), 'id1').text).toBe(
    'internal error; the log of the service has it under request id id1',
  );
});
