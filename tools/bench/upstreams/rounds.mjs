import { ask } from '../lib/anvil.mjs';
import { balanceOf, payer, readThirty, token } from './contracts.mjs';
import { roundsOf } from './counting-proxy.mjs';
import { delayMs, figure, median, startOverProxy } from './setup.mjs';

const runs = 20;

/** Sends one call. Returns its rounds at the upstream and its time in milliseconds. */
async function measured(gateway, call) {
  gateway.take();
  const begun = performance.now();
  await ask(gateway.url, 'eth_call', [call, 'latest']);
  const ms = performance.now() - begun;
  const requests = gateway.take();
  return { rounds: roundsOf(requests), ms, requests };
}

async function inTurn(count, work) {
  const results = [];
  for (let at = 0; at < count; at++) results.push(await work(at));
  return results;
}

const most = (results) => Math.max(...results.map(({ rounds }) => rounds));
const latency = (results) => median(results.map(({ ms }) => ms)) / delayMs;

/** Measures the round trips of cold calls, of the same block and of the next one. */
export async function benchRounds(chain, gateway) {
  await benchCold(gateway, 'with eth_createAccessList');
  const holder = (salt) => balanceOf(token(0), 1, salt);
  const tree = (salt) => readThirty(0, salt);
  for (const [name, call] of [
    ['balanceOf', holder],
    ['30 slots', tree],
  ]) {
    const same = await inTurn(runs, (at) => measured(gateway, call(1 + at)));
    figure(`${name}, same block: round trips`, most(same), '0', most(same) === 0);
  }
  const next = await inTurn(3, async (at) => {
    await chain.send({ from: payer, to: payer, value: '0x1' });
    await gateway.follow();
    return [await measured(gateway, holder(100 + at)), await measured(gateway, tree(100 + at))];
  });
  for (const [at, name] of ['balanceOf', '30 slots'].entries()) {
    const results = next.map((pair) => pair[at]);
    figure(`${name}, next block without changes: round trips`, most(results), '<= 1', most(results) <= 1);
  }
}

/** Measures cold calls where the upstream cannot say what a call reads. */
export async function benchWithoutHints(chain) {
  const gateway = await startOverProxy(chain, { lacks: ['eth_createAccessList'] });
  try {
    await gateway.follow();
    await benchCold(gateway, 'without it');
  } finally {
    await gateway.stop();
  }
}

async function benchCold(gateway, upstream) {
  const cold = await inTurn(runs, (at) => measured(gateway, balanceOf(token(at), 1)));
  figure(`cold balanceOf, upstream ${upstream}: round trips`, most(cold), '<= 2', most(cold) <= 2);
  const ratio = latency(cold);
  const fastest = Math.min(...cold.map(({ ms }) => ms)) / delayMs;
  figure('  p50 / latency', ratio.toFixed(2), '< 2.5', ratio < 2.5, `least ${fastest.toFixed(2)}`);
  for (const [odd, place] of ['code', 'storage'].entries()) {
    // Odd trees have the addresses of their leaves in storage.
    const trees = await inTurn(runs / 2, (at) => measured(gateway, readThirty(2 * at + odd)));
    const name = `cold 30 slots in 5 contracts, addresses in ${place}: round trips`;
    figure(name, most(trees), '<= 3', most(trees) <= 3, `p50 ${latency(trees).toFixed(2)} of the latency`);
  }
}
