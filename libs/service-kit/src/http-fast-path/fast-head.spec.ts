import { expect, test } from '@jest/globals';
import { parsePlainHead } from './fast-head.ts';

const head = (...lines: readonly string[]) => ['POST /v3/key HTTP/1.1', 'Host: a', ...lines].join('\r\n');

test('parses a plain head and lower-cases its field names', () => {
  expect(parsePlainHead(head('Content-Length:\t5 ', 'CONNECTION: Keep-Alive', 'X-Note:'))).toEqual({
    path: '/v3/key',
    headers: { host: 'a', 'content-length': '5', connection: 'Keep-Alive', 'x-note': '' },
    contentLength: 5,
  });
});

test.each([
  ['no length', head()],
  ['two lengths', head('content-length: 1', 'content-length: 1')],
  ['a list of lengths', head('content-length: 1, 1')],
  ['a length with a sign', head('content-length: +1')],
  ['a length in hexadecimal', head('content-length: 0x1')],
  ['chunks', head('content-length: 1', 'transfer-encoding: chunked')],
  ['a space before the colon', head('content-length : 1')],
  ['a folded line', head('content-length: 1', ' 2')],
  ['a bare line feed', head('content-length: 1\nx: 1')],
  ['a bare carriage return', head('content-length: 1\rx: 1')],
  ['a zero byte', head('content-length: 1', 'x: a\0b')],
  ['an expectation', head('content-length: 1', 'expect: 100-continue')],
  ['an upgrade', head('content-length: 1', 'connection: upgrade')],
  ['the end of the connection', head('content-length: 1', 'connection: close')],
  ['a packed body', head('content-length: 1', 'content-encoding: gzip')],
  ['another origin', head('content-length: 1', 'origin: https://a.example')],
  ['a list of options', head('content-length: 1', 'connection: keep-alive, x-secret')],
  ['too many fields', head('content-length: 1', ...Array.from({ length: 64 }, (_, n) => `x-${n}: 1`))],
  ['no host', 'POST / HTTP/1.1\r\ncontent-length: 1'],
  ['HTTP/1.0', 'POST / HTTP/1.0\r\nhost: a\r\ncontent-length: 1'],
  ['another method', 'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1'],
  ['a whole URL', 'POST http://a/ HTTP/1.1\r\nhost: a\r\ncontent-length: 1'],
  ['nothing', ''],
])('left to the full parser: %s', (_, text) => {
  expect(parsePlainHead(text)).toBeUndefined();
});

test('keeps fields that are named like members of Object', () => {
  expect(parsePlainHead(head('content-length: 0', '__proto__: 1', 'constructor: 2'))?.headers).toMatchObject({
    constructor: '2',
  });
});
