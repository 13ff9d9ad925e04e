import { ask } from '../lib/anvil.mjs';
import { emitter, payer, topic } from './contracts.mjs';
import { roundsOf } from './counting-proxy.mjs';
import { figure, startOverProxy } from './setup.mjs';

const blocks = 10_000;
const matches = 20;

const isHeader = ({ method, params }) => method.startsWith('eth_getBlockBy') && params[1] === false;

/** Measures eth_getLogs over a range of which few blocks match. */
export async function benchLogs(chain) {
  const head = Number(await ask(chain.url, 'eth_blockNumber', []));
  for (let match = 0; match < matches; match++) {
    await chain.mine(blocks / matches - 1);
    await chain.send({ from: payer, to: emitter });
  }
  const gateway = await startOverProxy(chain);
  try {
    await gateway.follow();
    await measure(gateway, { from: head + 1, to: head + blocks });
  } finally {
    await gateway.stop();
  }
}

async function measure(gateway, { from, to }) {
  const query = {
    address: emitter,
    topics: [topic],
    fromBlock: `0x${from.toString(16)}`,
    toBlock: `0x${to.toString(16)}`,
  };
  const begun = performance.now();
  const logs = await ask(gateway.url, 'eth_getLogs', [query]);
  const ms = performance.now() - begun;
  if (logs.length !== matches) throw new Error(`eth_getLogs returned ${logs.length} logs, not ${matches}`);
  const requests = gateway.take();
  const headers = requests.filter(({ calls }) => calls.every(isHeader));
  const others = requests.filter(({ calls }) => !calls.every(isHeader));
  const rounds = roundsOf(others);
  const note = `${headers.flatMap(({ calls }) => calls).length} headers in ${headers.length} requests and ${roundsOf(headers)} rounds, ${Math.round(ms)} ms`;
  figure(
    `eth_getLogs, ${blocks} blocks of which ${matches} match: rounds after headers`,
    rounds,
    '<= 2',
    rounds <= 2,
    note,
  );
}
