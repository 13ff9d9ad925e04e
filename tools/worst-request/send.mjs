import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

const excerptBytes = 400;
/** Maximum bytes of requests that are sent without waiting for answers. */
const repeatedBytesMax = 2 * 1024 * 1024;
/** Bytes of a body that are written in one piece. */
const pieceBytes = 256 * 1024;

/**
 * Sends one request over a connection of its own and reads the answer to its end.
 * @param request `path`, `headers`, `body` (a buffer), or `message` for a WebSocket; `repeats`: how often
 * @param {{ port: number, deadlineMs: number }} options the connection is closed at the deadline
 */
export function send(request, { port, deadlineMs }) {
  const { message } = request;
  return message === undefined ? sendHttp(request, { port, deadlineMs }) : sendMessage(request, { port, deadlineMs });
}

function sendHttp(
  { path, headers = {}, body = Buffer.alloc(0), isChunked = false, repeats = 1 },
  { port, deadlineMs },
) {
  const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length };
  const headOf = (more) => {
    const fields = { host: `127.0.0.1:${port}`, 'x-request-id': randomUUID(), ...length, ...headers, ...more };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  };
  const head = headOf({ connection: 'close' });
  const before = timesFor(repeats, head.length + body.length) - 1;
  if (before === 0) return exchange({ port, deadlineMs, head, pieces: () => piecesOf(body, isChunked) });
  // Pipelined: all in one piece; the last request closes the connection.
  const one = Buffer.concat([headOf({}), ...piecesOf(body, isChunked)]);
  const first = Buffer.alloc(one.length * before, one);
  return exchange({ port, deadlineMs, head: first, pieces: () => [head, ...piecesOf(body, isChunked)] });
}

/** Number of times a request is sent on one connection without waiting, within a bound of bytes. */
const timesFor = (repeats, bytes) => Math.max(1, Math.min(repeats, Math.floor(repeatedBytesMax / bytes)));

function* piecesOf(body, isChunked) {
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = body.subarray(at, at + pieceBytes);
    if (isChunked) yield Buffer.from(`${piece.length.toString(16)}\r\n`, 'latin1');
    yield piece;
    if (isChunked) yield Buffer.from('\r\n', 'latin1');
  }
  if (isChunked) yield Buffer.from('0\r\n\r\n', 'latin1');
}

/** Sends a WebSocket message. A light request follows when its answer begins; the answer to it ends the exchange. */
function sendMessage({ path, message, headers = {}, repeats = 1 }, { port, deadlineMs }) {
  const fields = {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16, 7).toString('base64'),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  const last = frameOf('{"jsonrpc":"2.0","id":"last","method":"eth_chainId"}');
  return exchange({
    port,
    deadlineMs,
    head,
    pieces: () => Array(timesFor(repeats, message.length)).fill(frameOf(message)),
    last,
  });
}

/** A text frame of RFC 6455, masked with zeros. */
function frameOf(text) {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 6 : length < 65_536 ? 8 : 14);
  head[0] = 0x81;
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65_536) {
    head[1] = 0xfe;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

function exchange({ port, deadlineMs, head, pieces, last }) {
  return new Promise((resolve) => {
    const start = performance.now();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let excerpt = '';
    let tail = '';
    let isAborted = false;
    let isLastSent = false;
    const timer = setTimeout(() => {
      isAborted = true;
      socket.destroy();
    }, deadlineMs);
    socket.on('data', (chunk) => {
      if (excerpt.length < excerptBytes) excerpt += chunk.toString('latin1', 0, excerptBytes);
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 64))).slice(-128);
      if (last === undefined) return;
      if (isLastSent && tail.includes('"id":"last"')) socket.destroy();
      const isAnswered = excerpt.length > excerpt.indexOf('\r\n\r\n') + 4;
      if (isAnswered && !isLastSent) isLastSent = socket.write(last) || true;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      const at = excerpt.indexOf('\r\n\r\n');
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(excerpt)?.[1] ?? 0),
        isAborted,
        excerpt: excerpt.slice(at === -1 ? 0 : at + 4).slice(0, excerptBytes),
        bytesIn: socket.bytesWritten,
        bytesOut: socket.bytesRead,
        durationMs: performance.now() - start,
      });
    });
    socket.once('connect', () => {
      socket.write(head);
      pump(socket, pieces()[Symbol.iterator]());
    });
  });
}

function pump(socket, iterator) {
  for (;;) {
    const { done, value } = iterator.next();
    if (done || socket.destroyed) return;
    if (!socket.write(value)) return void socket.once('drain', () => pump(socket, iterator));
  }
}
