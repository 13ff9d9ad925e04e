// Load over raw sockets, in a process of its own: `fork` it and send { url, connections, seconds, paths, host }.
// The response of each path has a fixed length, which the first one shows, so that the generator only counts bytes.
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const chunksEnd = Buffer.from('0\r\n\r\n');

/** Sends one request and resolves with the bytes of its response, from its Content-Length or to the end of its chunks. */
function lengthOf({ hostname, port, request }) {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    let received = 0;
    let total;
    let tail = Buffer.alloc(0);
    const read = (bytes) => {
      received += bytes.length;
      tail = Buffer.concat([tail, bytes.subarray(-5)]).subarray(-5);
      if (head !== undefined) {
        head = Buffer.concat([head, bytes]);
        const end = head.indexOf(headEnd);
        if (end === -1) return;
        const text = head.toString('latin1', 0, end);
        if (!/^HTTP\/1\.1 200/.test(text)) return reject(new Error(text.slice(0, 200)));
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        total = length === undefined ? undefined : end + headEnd.length + Number(length);
        head = undefined;
      }
      if (total === undefined ? !tail.equals(chunksEnd) : received < total) return;
      socket.destroy();
      resolve(received);
    };
    const socket = connect({ host: hostname, port, onread: readingWith(read) }, () => socket.write(request));
    socket.on('error', reject);
  });
}

/** Reads into one buffer: memory for each piece takes more CPU time than the server that is measured. */
function readingWith(read) {
  const buffer = Buffer.alloc(512 * 1024);
  return {
    buffer,
    callback(count) {
      read(buffer.subarray(0, count));
      return true;
    },
  };
}

/** One connection that sends the next request as soon as the response is complete. */
function run(target, lengths, state) {
  return new Promise((resolve, reject) => {
    let missing = 0;
    let begun = 0;
    const send = () => {
      if (performance.now() >= state.end) return socket.end(() => resolve());
      const at = state.sent++ % target.requests.length;
      missing = lengths[at];
      begun = performance.now();
      socket.write(target.requests[at]);
    };
    const read = (bytes) => {
      missing -= bytes.length;
      state.bytes += bytes.length;
      if (missing > 0) return;
      if (missing < 0) return reject(new Error(`a response has ${-missing} bytes more than the first one`));
      state.done++;
      state.latencies.push(performance.now() - begun);
      send();
    };
    const socket = connect({ host: target.hostname, port: target.port, onread: readingWith(read) });
    socket.setNoDelay(true);
    socket.on('connect', send).on('error', reject);
    socket.on('close', () =>
      performance.now() < state.end ? reject(new Error('the server closed a connection')) : resolve(),
    );
  });
}

process.once('message', async ({ url, connections, seconds, paths, host }) => {
  const { hostname, port } = new URL(url);
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n`),
  );
  const target = { hostname, port: Number(port), requests };
  const lengths = [];
  for (const request of requests) lengths.push(await lengthOf({ ...target, request }));
  const state = { end: performance.now() + seconds * 1000, sent: 0, done: 0, bytes: 0, latencies: [] };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, () => run(target, lengths, state)));
  const elapsed = (performance.now() - start) / 1000;
  state.latencies.sort((a, b) => a - b);
  const at = (part) => state.latencies[Math.floor(state.latencies.length * part)] ?? 0;
  process.send(
    {
      perSecond: state.done / elapsed,
      mebibytesPerSecond: state.bytes / elapsed / 2 ** 20,
      count: state.done,
      // With those of the first responses, whose CPU time the server spends too.
      bytes: state.bytes + lengths.reduce((sum, length) => sum + length, 0),
      p50: at(0.5),
      p99: at(0.99),
    },
    () => process.exit(0),
  );
});
