import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const load = fileURLToPath(new URL('request-load.mjs', import.meta.url));

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
 * @throws Error for another status than 200
 */
export async function measureRate(url, { request, seconds, connections = 32 }) {
  const at = request.indexOf(counter);
  const child = fork(load, [], { serialization: 'advanced' });
  const answer = once(child, 'message');
  const ended = once(child, 'exit').then(() => [{ failure: 'The load generator ended.' }]);
  // No two measurements use the same numbers.
  const firstCount = randomInt(2 ** 47) * 16;
  child.send({ url, connections, seconds, request, ...(at !== -1 && { counterAt: at, firstCount }) });
  const [report] = await Promise.race([answer, ended]);
  if (report.failure) throw new Error(report.failure);
  return report;
}
