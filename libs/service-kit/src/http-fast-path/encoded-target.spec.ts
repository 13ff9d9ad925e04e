import { expect, test } from '@jest/globals';
import { withEncodedTarget } from './encoded-target.ts';

test.each([
  ['GET /ü HTTP/1.1\r\nhost: ü\r\n\r\nü', 'GET /%C3%BC HTTP/1.1\r\nconnection: close\r\nhost: ü\r\n\r\nü'],
  ['GET /a HTTP/1.1\r\nhost: ü\r\n\r\nü', 'GET /a HTTP/1.1\r\nhost: ü\r\n\r\nü'],
  ['GET /%C3%BC HTTP/1.1\r\n\r\n', 'GET /%C3%BC HTTP/1.1\r\n\r\n'],
  ['GET /ü', 'GET /ü'],
  ['GET /ü HTTP/1.1\n\n', 'GET /ü HTTP/1.1\n\n'],
  ['\r\n/ü', '\r\n/ü'],
  ['', ''],
])('withEncodedTarget changes %j to %j', (given, encoded) => {
  expect(withEncodedTarget(Buffer.from(given)).toString()).toBe(encoded);
});
