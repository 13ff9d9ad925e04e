import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { openLmdbMeteringStores, startMetering } from '@cairn/metering';
import { load } from './lib/load.mjs';

const { RequestMeter } = await import(
  fileURLToPath(new URL('../../apps/rpc-gateway/dist/compiled/request-meter.js', import.meta.url))
);

const inProcess = 300_000;
const rounds = 5;

/** Measures the cost of authentication, limits and usage per request, beside the total cost of the request. */
export async function benchMetering({ home, gateway, key, count, pid }) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json' };
  const next = () => ({ path: `/v3/${key}`, method: 'POST', headers, body });
  const perRequest = [];
  for (let round = 0; round < rounds; round++) {
    const before = processorSeconds(pid);
    await load(gateway, { count, next });
    perRequest.push(((processorSeconds(pid) - before) / count) * 1e6);
  }
  const whole = Math.min(...perRequest);
  for (const [name, microseconds] of Object.entries(await costs(home, key))) {
    const share = (microseconds / whole) * 100;
    console.log(
      `${name} of one request`.padEnd(48),
      `${microseconds.toFixed(2).padStart(8)} µs  ${share.toFixed(1)} % of the gateway's ${whole.toFixed(1)} µs`,
    );
  }
}

/** Microseconds per request for each step, in the order of the transport. */
async function costs(home, keyId) {
  const directory = mkdtempSync(join(home, 'metering-'));
  const stores = await openLmdbMeteringStores({ accounts: directory, limits: join(directory, 'limits') });
  const auth = new Auth({ store: await openLmdbAccountStore({ directory }) });
  await auth.createAccount({ name: 'bench', plan: 'local' });
  await auth.createKey('bench', { id: keyId });
  const metering = await startMetering({ ...stores, service: 'bench' });
  const method = { name: 'eth_chainId', cost: 1 };
  const call = { method: 'eth_chainId', cost: 1, duration: 0.02, isAdmitted: true, characters: 45 };
  const principal = await auth.identify(keyId);
  let kept = 0;
  try {
    const measured = {
      auth: await best(async () => {
        const found = auth.recent(keyId) ?? (await auth.identify(keyId));
        kept += found.key.id.length;
      }),
      'limits and usage': await best(() => {
        const meter = new RequestMeter(metering, principal, 'sample');
        const waiting = meter.enter() ?? meter.admit(method);
        const finish = () => {
          meter.recordCall(call);
          kept += meter.headers.ratelimit.length;
          meter.end({ bytesIn: 60, bytesOut: 45, status: 200 });
        };
        return waiting === undefined ? finish() : waiting.then(finish);
      }),
    };
    if (kept === 0) throw new Error('nothing was measured');
    return measured;
  } finally {
    await metering.close();
    await auth.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function best(step) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let n = 0; n < inProcess; n++) {
      const waiting = step();
      if (waiting !== undefined) await waiting;
      // Requests spread over many turns of the event loop, as in a service.
      if (n % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    fastest = Math.min(fastest, ((performance.now() - start) / inProcess) * 1000);
  }
  return fastest;
}

/** User and system time of a process (proc(5), fields 14 and 15). */
function processorSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
