import { readFileSync } from 'node:fs';
import { startGateway } from '../../peers/cairn.mjs';
import { load } from '../lib/load.mjs';
import { balanceOf, readThirty, token } from './contracts.mjs';
import { figure, median } from './setup.mjs';

const rounds = 6;
/** Calls of one turn. The heavy ones exceed the gas budget of the calling thread. */
const kinds = [
  { name: 'balanceOf, in the calling thread', count: 4_000, call: (salt) => balanceOf(token(0), 1, salt) },
  { name: '30 slots in 5 contracts, in a worker', count: 1_500, call: (salt) => readThirty(0, salt) },
];

/** Compares calls over cached state with the same calls on an imported chain, alternately. Each call is distinct. */
export async function benchWarm({ genesis }, proven) {
  const imported = await startGateway({ genesis });
  try {
    let salt = 1_000;
    for (const { name, count, call } of kinds) {
      const turn = async ({ url, pid }) => {
        const { origin, pathname } = new URL(url);
        const body = () =>
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call(salt++), 'latest'] });
        const next = () => ({
          path: pathname,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: body(),
        });
        const cpuBefore = cpuMs(pid);
        const { perSecond } = await load(origin, { count, next });
        return { perSecond, cpuUs: ((cpuMs(pid) - cpuBefore) / count) * 1_000 };
      };
      const rates = [];
      for (let round = 0; round <= rounds; round++) {
        const order = round % 2 === 0 ? [imported, proven] : [proven, imported];
        const pair = new Map();
        for (const gateway of order) pair.set(gateway, await turn(gateway));
        // The first round warms up caches and the JIT compiler.
        if (round > 0) rates.push({ imported: pair.get(imported), proven: pair.get(proven) });
      }
      const ratios = rates.map((rate) => rate.proven.perSecond / rate.imported.perSecond);
      const of = (gateway, value) => Math.round(median(rates.map((rate) => rate[gateway][value])));
      const note =
        `${of('proven', 'perSecond')} and ${of('imported', 'perSecond')} calls/s, ` +
        `ratios ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ` +
        `CPU ${of('proven', 'cpuUs')} and ${of('imported', 'cpuUs')} µs per call`;
      figure(`warm ${name}: rate / imported`, median(ratios).toFixed(2), '>= 0.9', median(ratios) >= 0.9, note);
    }
  } finally {
    await imported.stop();
  }
}

/** CPU time of a process in milliseconds; Linux only. The kernel counts in hundredths of a second. Rates depend on other load, too. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
