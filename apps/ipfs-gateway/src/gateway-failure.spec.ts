import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { failureResponse, isServiceFault } from './gateway-failure.ts';

test.each([
  ['CREDENTIALS_INVALID', 401, false],
  ['KEY_SCOPE_MISSING', 403, false],
  ['LIMIT_REACHED', 429, false],
  ['STORE_DAMAGED', 500, true],
])('%s gives %i', (code, status, isFault) => {
  const error = new CairnError(code, 'The reason of /data/secret.', { hint: 'Do this.' });
  expect(failureResponse(error, 'id1').status).toBe(status);
  expect(isServiceFault(error)).toBe(isFault);
});

test('a fault of the service does not quote its message', () => {
  expect(failureResponse(new Error('/data/secret'), 'id1').text).toBe(
    'internal error; the log of the service has it under request id id1',
  );
});
