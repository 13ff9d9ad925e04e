import { expect, test } from '@jest/globals';
import { useOriginForm } from './origin-form.ts';

test.each([
  ['/v3/key?a=http://x/y', '/v3/key?a=http://x/y', 'given.example'],
  ['http://mine.example:8545/v3/key', '/v3/key', 'mine.example:8545'],
  ['HTTPS://mine.example/v3/key?a', '/v3/key?a', 'mine.example'],
  ['http://mine.example', '/', 'mine.example'],
  ['http://mine.example?a', '/?a', 'mine.example'],
  ['*', '*', 'given.example'],
])('useOriginForm changes %s to %s of %s', (target, url, host) => {
  const request = { url: target, headers: { host: 'given.example' } };
  useOriginForm(request);
  expect(request).toEqual({ url, headers: { host } });
});
