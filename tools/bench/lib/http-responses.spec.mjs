import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpResponses } from './http-responses.mjs';

const fixed = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const empty = 'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n';
const chunked =
  'HTTP/1.1 500 Error\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\na\r\n0123\r\n6789\r\n0\r\nX: y\r\n\r\n';

test('responses are counted whatever the pieces are', () => {
  const stream = Buffer.from([fixed, chunked, empty, fixed].join(''));
  for (let size = 1; size <= stream.length; size++) {
    const responses = new HttpResponses();
    let done = 0;
    for (let at = 0; at < stream.length; at += size) done += responses.push(stream.subarray(at, at + size));
    assert.equal(done, 4, `pieces of ${size} bytes`);
    assert.equal(responses.bodyBytes, 5 + 13 + 5);
    assert.equal(responses.status, 200);
  }
});

test('the status is that of the last head', () => {
  const responses = new HttpResponses();
  assert.equal(responses.push(Buffer.from(chunked)), 1);
  assert.equal(responses.status, 500);
  assert.equal(responses.push(Buffer.from(fixed.slice(0, -1))), 0);
  assert.equal(responses.status, 200);
});

test('a response without a length is refused', () => {
  assert.throws(() => new HttpResponses().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')), /has no length/);
});
