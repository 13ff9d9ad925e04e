// Lies below JSON: bodies, statuses, headers and timing. `respond` replaces the HTTP response, `text` the text of an answer.
import { gzipSync } from 'node:zlib';

const unprovable = { isProvable: false };
const html = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';
const json = { 'content-type': 'application/json' };
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes a chunk repeatedly until the client leaves. */
async function pour(response, chunk, pauseMs = 0) {
  while (!response.destroyed) {
    if (!response.write(chunk))
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), delay(50)]);
    if (pauseMs > 0) await delay(pauseMs);
    else await delay(0);
  }
}

export const transportLies = [
  {
    name: 'HTML page with status 200',
    respond: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html),
  },
  { name: 'HTML page with status 502', respond: (response) => response.writeHead(502).end(html) },
  { name: 'status 500 with the right answer', respond: (response, text) => response.writeHead(500, json).end(text) },
  { name: 'status 404', respond: (response) => response.writeHead(404).end() },
  { name: 'status 204', respond: (response) => response.writeHead(204).end() },
  {
    name: 'status 429 with a Retry-After of a year',
    respond: (response) => response.writeHead(429, { 'retry-after': '31536000' }).end(),
  },
  {
    name: 'status 429 with a Retry-After of text',
    respond: (response) => response.writeHead(429, { 'retry-after': 'soon' }).end(),
  },
  {
    name: 'status 503 with a date',
    respond: (response) => response.writeHead(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }).end(),
  },
  {
    name: 'redirect to another address',
    respond: (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  },
  {
    name: 'half a body, then the end',
    respond: (response, text) => response.writeHead(200, json).end(text.slice(0, text.length / 2)),
  },
  {
    name: 'half a body, then a reset',
    respond: (response, text) =>
      response
        .writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) })
        .write(text.slice(0, text.length / 2), () => response.destroy()),
  },
  {
    name: 'content length above the body',
    respond: (response, text) =>
      response
        .writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) + 100 })
        .write(text, () => response.socket?.end()),
  },
  { name: 'reset before the headers', respond: (response) => response.socket?.resetAndDestroy() },
  { name: 'garbage instead of HTTP', respond: (response) => response.socket?.end('\u0000\u0001HELLO\r\n\r\n') },
  { name: 'no answer at all', isSlow: true, respond: () => {} },
  {
    name: 'no body after the headers',
    isSlow: true,
    respond: (response) => void response.writeHead(200, json).flushHeaders(),
  },
  {
    name: 'one byte in 50 ms',
    isSlow: true,
    respond: async (response, text) => {
      response.writeHead(200, json);
      for (const byte of Buffer.from(text).subarray(0, 2000)) {
        if (response.destroyed) return;
        response.write(Buffer.of(byte));
        await delay(50);
      }
    },
  },
  {
    name: 'endless white space',
    isSlow: true,
    respond: (response) => pour(response.writeHead(200, json), ' '.repeat(65_536)),
  },
  {
    name: 'endless list',
    isSlow: true,
    respond: (response) => {
      response.writeHead(200, json).write('[');
      return pour(response, '{"jsonrpc":"2.0","id":1,"result":"0x"},'.repeat(1000));
    },
  },
  {
    name: 'endless headers',
    respond: (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\n${'x-header: 0123456789\r\n'.repeat(10_000)}`);
      response.socket?.end();
    },
  },
  {
    name: 'answer after 700 ms',
    isHonest: true,
    respond: async (response, text) => {
      await delay(700);
      response.writeHead(200, json).end(text);
    },
  },
  {
    name: 'gzip bomb of 1 GiB',
    respond: (response) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb()),
  },
  {
    name: 'deflate header on plain text',
    isHonest: true,
    respond: (response, text) => response.writeHead(200, { ...json, 'content-encoding': 'identity' }).end(text),
  },
  {
    name: 'wrong content type',
    isHonest: true,
    respond: (response, text) => response.writeHead(200, { 'content-type': 'image/png' }).end(text),
  },
  {
    name: 'bytes that are not UTF-8',
    respond: (response) => response.writeHead(200, json).end(Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x80, 0xbf])),
  },
  {
    name: 'not UTF-8 within a text',
    respond: (response, text) =>
      response
        .writeHead(200, json)
        .end(Buffer.concat([Buffer.from(text.slice(0, 20)), Buffer.from([0xc0, 0xff]), Buffer.from(text.slice(20))])),
  },
  { name: 'empty text', text: () => '' },
  { name: 'truncated JSON', text: (text) => text.slice(0, -1) },
  { name: 'JSON and garbage', text: (text) => `${text}garbage` },
  { name: 'two JSON texts', text: (text) => `${text}${text}` },
  { name: 'NaN in JSON', text: (text) => text.replace(/"result":/g, '"result":NaN,"x":') },
  { name: 'number beyond all numbers', text: (text) => text.replace(/"result":/g, '"result":1e999,"x":') },
  {
    name: 'result is a number of a million digits',
    text: (text) => text.replace(/"result":/g, `"result":${'9'.repeat(1_000_000)},"x":`),
    isProvable: undefined,
  },
  { name: 'lists nested a million deep', text: () => `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}` },
  {
    name: 'objects nested 100,000 deep in a result',
    isProvable: undefined,
    text: (text) => text.replace(/"result":/g, `"result":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"x":`),
  },
  {
    name: 'repeated keys, the last ones false',
    isProvable: undefined,
    text: (text) => text.replace(/\}(,\{"jsonrpc|\]?$)/g, ',"result":"0x"}$1'),
  },
  { name: 'key of 16 MiB', text: (text) => text.replace('{', `{"${'k'.repeat(16 << 20)}":1,`), isHonest: true },
  { name: 'text of 40 MiB', text: (text) => `${' '.repeat(40 << 20)}${text}` },
].map((lie) => ({ ...unprovable, ...lie }));

let compressed;
/** 1 GiB of zeros as a few gzip members of 64 MiB, so that making it takes little memory. */
function bomb() {
  compressed ??= Buffer.concat(new Array(16).fill(gzipSync(Buffer.alloc(64 << 20))));
  return compressed;
}
