import { Worker } from 'node:worker_threads';
import { send } from './send.mjs';

/**
 * Maximum bytes and number of distinct bodies that are created before a siege: equal calls may be answered from a
 * cache.
 */
const preparedBytesMax = 64 * 1024 * 1024;
const preparedMax = 64;

/**
 * Repeats one request on several connections of one account of the free plan, while another account adds files of 4 KiB
 * and requests blocks.
 * @param {{ sessions: { storage: object, gateway: object }, attack?: { service: string, name: string, genes: object }, connections?: number,
 *   seconds: number, deadlineMs?: number }} options `sessions` from `session.mjs`; without an `attack` the victim is alone
 * @returns the view of the victim: for `add` and `block` the sorted latencies in milliseconds, and failed requests
 */
export async function besiege({ sessions, attack, connections = 8, seconds, deadlineMs = 10_000 }) {
  const { storage, gateway } = sessions;
  const requests = attack === undefined ? [] : await prepare(sessions[attack.service], attack);
  const end = Date.now() + seconds * 1000;
  const victim = startVictim({
    storage: { port: storage.service.port, authorization: storage.service.victim.authorization },
    gateway: { port: gateway.service.port, key: gateway.service.victim.key },
    end,
  });
  const statuses = {};
  let turn = 0;
  const repeat = async () => {
    while (Date.now() < end) {
      const request = requests[turn++ % requests.length];
      const { port } = sessions[attack.service].service;
      const { status, isAborted } = await send(request, {
        port,
        deadlineMs: Math.min(deadlineMs, Math.max(100, end - Date.now())),
      });
      const outcome = isAborted ? 'aborted' : String(status);
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(requests.length === 0 ? [] : Array.from({ length: connections }, repeat));
  return { ...(await victim), statuses };
}

/** Distinct forms of one request, all of one account. */
async function prepare(session, { name, genes }) {
  await session.beginSiege();
  const first = await session.make({ name, genes }, 0);
  const size = first.body?.length ?? first.message?.length ?? 0;
  const count = Math.max(1, Math.min(preparedMax, Math.floor(preparedBytesMax / (size + 1))));
  const requests = [first];
  for (let n = 1; n < count; n++) requests.push(await session.make({ name, genes }, n));
  return requests;
}

/** Runs the victim in its own thread, so that the attack does not delay it. */
function startVictim(data) {
  const worker = new Worker(new URL('./victim-thread.mjs', import.meta.url), { workerData: data });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

/** Returns the value below which a share of sorted latencies lies. */
export const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
