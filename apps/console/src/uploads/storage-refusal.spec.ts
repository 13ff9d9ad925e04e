import { expect, test } from '@jest/globals';
import { errorAnswerOf } from '../console-error.filter.ts';
import { storageRefusal } from './storage-refusal.ts';

const kubo = (message: string) => JSON.stringify({ Message: message, Code: 0, Type: 'error' });
const answer = (status: number, body: string, headers = {}) => errorAnswerOf(storageRefusal(status, body, headers));

test.each([
  "key with name 'web' already exists",
  "cannot create key with name 'self'",
  'no key named none was found',
  'not pinned or pinned indirectly',
])('the refusal "%s" of the storage API is a mistake of the request', (words) => {
  const message = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
  expect(answer(500, kubo(words))).toMatchObject({ status: 400, body: { code: 'STORAGE_REFUSED', message } });
});

test.each<[string, number, string, { readonly 'x-cairn-fault'?: string }?]>([
  ['an internal error', 500, kubo('internal error; the log of the service has it'), { 'x-cairn-fault': '1' }],
  ['a page of a proxy', 500, '<html>Internal Server Error</html>'],
  ['null', 500, 'null'],
  ['an error of the Pinning Service API', 500, '{"error":{"reason":"INTERNAL_SERVER_ERROR","details":"internal"}}'],
  ['a bad gateway', 502, ''],
])('%s is a failure of the service', (_name, status, body, headers = {}) => {
  expect(answer(status, body, headers)).toMatchObject({ status: 502, body: { code: 'STORAGE_FAILED' } });
});

test('a missing object and a missing card have their own status', () => {
  expect(answer(404, '{"error":{"reason":"NOT_FOUND","details":"no pin request"}}').status).toBe(404);
  expect(answer(409, '{"error":{"reason":"INSUFFICIENT_FUNDS","details":"no card"}}').status).toBe(402);
});
