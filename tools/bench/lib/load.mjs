import { Pool } from 'undici';

const percentile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];

/**
 * Sends requests over kept-alive connections until `count` are answered.
 * @param next returns request number n
 * @returns requests per second and latencies in milliseconds
 */
export async function load(origin, { connections = 32, count, next, expectStatus = 200 }) {
  const pool = new Pool(origin, { connections, pipelining: 1, connect: { rejectUnauthorized: false } });
  const latencies = [];
  let sent = 0;
  const start = performance.now();
  const work = async () => {
    for (let n = sent++; n < count; n = sent++) {
      const begun = performance.now();
      const { statusCode, body } = await pool.request(next(n));
      const text = await body.text();
      if (statusCode !== expectStatus) throw new Error(`${statusCode}: ${text.slice(0, 200)}`);
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - start) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  return { perSecond: count / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

/** Formats one line of the report: a figure beside its reference. */
export function report(name, value, unit, peerName, peer) {
  const ratio =
    peer === undefined ? '' : `   ${(value / peer).toFixed(2)} of ${peerName} (${Math.round(peer)} ${unit})`;
  console.log(`${name.padEnd(48)} ${String(Math.round(value)).padStart(8)} ${unit}${ratio}`);
}
