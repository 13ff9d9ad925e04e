// Load over raw sockets, in a process of its own: `fork` it with advanced serialization and send { url, connections, seconds,
// request, counterAt }. `request` holds the bytes of one HTTP request. Its 16 characters at `counterAt` are replaced by a number that
// is new for each request, so that a server cannot answer from an earlier response.
import { connect } from 'node:net';
import { HttpResponses } from './http-responses.mjs';

const counterDigits = 16;

/** Connections whose response is complete. Their next requests are sent together: that takes less CPU time from the server. */
let ready = [];

function sendNext(send) {
  if (ready.push(send) > 1) return;
  setImmediate(() => {
    const sends = ready;
    ready = [];
    for (const next of sends) next();
  });
}

/** All connections read into this buffer: memory for each response takes CPU time from the server. */
const buffer = Buffer.alloc(256 * 1024);

/** One connection that sends the next request as soon as the response is complete. */
function run({ hostname, port }, next, state) {
  return new Promise((resolve, reject) => {
    const responses = new HttpResponses();
    let begun = 0;
    let isEnding = false;
    const read = (bytes) => {
      try {
        if (responses.push(bytes) === 0) return;
      } catch (error) {
        return reject(error);
      }
      if (responses.status !== 200) return reject(new Error(`The server answers with status ${responses.status}.`));
      state.done++;
      state.latencies.push(performance.now() - begun);
      sendNext(send);
    };
    const onread = {
      buffer,
      callback(count) {
        read(buffer.subarray(0, count));
        return true;
      },
    };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    const send = () => {
      if (performance.now() >= state.end) {
        isEnding = true;
        socket.destroy();
        return resolve();
      }
      begun = performance.now();
      socket.write(next());
    };
    socket.on('connect', send).on('error', reject);
    socket.on('close', () => isEnding || reject(new Error('The server closed a connection.')));
  });
}

function requestsOf({ request, counterAt, firstCount }) {
  let count = firstCount;
  if (counterAt === undefined) return () => request;
  return () => {
    const bytes = Buffer.from(request);
    bytes.write(String(count++).padStart(counterDigits, '0'), counterAt, 'latin1');
    return bytes;
  };
}

process.once('message', async ({ url, connections, seconds, ...what }) => {
  const next = requestsOf({ ...what, request: Buffer.from(what.request) });
  const start = performance.now();
  const state = { end: start + seconds * 1000, done: 0, latencies: [] };
  try {
    await Promise.all(Array.from({ length: connections }, () => run(new URL(url), next, state)));
  } catch (error) {
    process.send({ failure: error.message }, () => process.exit(1));
    return;
  }
  const elapsed = (performance.now() - start) / 1000;
  state.latencies.sort((a, b) => a - b);
  const at = (part) => state.latencies[Math.floor(state.latencies.length * part)] ?? 0;
  const report = { perSecond: state.done / elapsed, count: state.done, p50: at(0.5), p99: at(0.99) };
  process.send(report, () => process.exit(0));
});
