import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const load = fileURLToPath(new URL('request-load.mjs', import.meta.url));

/** Time in milliseconds after the duration of a measurement for its last responses: one of a slow call may take seconds. */
const lastMs = 30_000;

/** Place of a number in a request that is new each time. */
export const counter = '#'.repeat(16);

/** Returns the bytes of one POST request. */
export function postRequest(url, { headers = {}, body = '' }) {
  const { pathname, search, host } = new URL(url);
  const lines = Object.entries({ host, 'content-length': Buffer.byteLength(body), ...headers });
  return Buffer.from(
    `POST ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/**
 * Measures requests a second over kept-alive connections, from another process.
 * @param request bytes of one request, in which `counter` is replaced by a new number each time
 * @param seconds duration of the measurement
 * @throws Error for another status than 200, and when a request gets no response
 */
export async function measureRate(url, { request, seconds, connections = 32 }) {
  const at = request.indexOf(counter);
  const child = fork(load, [], { serialization: 'advanced' });
  const answer = once(child, 'message');
  const ended = once(child, 'exit').then(() => [{ failure: 'The load generator ended.' }]);
  // No two measurements use the same numbers.
  const firstCount = randomInt(2 ** 47) * 16;
  child.send({ url, connections, seconds, request, ...(at !== -1 && { counterAt: at, firstCount }) });
  const late = new AbortController();
  const tooLate = delay(seconds * 1000 + lastMs, [{ failure: `A request to ${url} got no response.` }], {
    signal: late.signal,
  });
  const [report] = await Promise.race([answer, ended, tooLate]);
  tooLate.catch(() => {});
  late.abort();
  child.kill();
  if (report.failure) throw new Error(report.failure);
  return report;
}
