import { freePort } from '../peers/free-port.mjs';
import { hurtful } from '../worst-request/hurtful.mjs';
import { replayLine } from '../worst-request/report.mjs';
import { startSession } from '../worst-request/session.mjs';
import { besiege, quantile } from '../worst-request/siege.mjs';

/** Goals of isolation in milliseconds. */
const goals = { p99Ms: 250, lagMs: 100 };

/** Settings that replace those of the search. */
const defaults = { storage: {}, gateway: { CAIRN_CALL_TIMEOUT_MS: '5000' } };

/** Settings that open the admin port of each service. */
const adminSettings = { storage: 'STORAGE_API_ADMIN_PORT', gateway: 'RPC_GATEWAY_ADMIN_PORT' };

/**
 * Measures latencies of an account while another account of the free plan repeats each of the most expensive requests
 * over eight connections: adds of 4 KiB, `eth_getBlockByNumber`, and the lag of both event loops, beside the same
 * without an attack.
 * @param {{ seconds: number, only?: string }} options `only`: names of commands and methods, separated by commas
 */
export async function benchIsolation({ seconds, only }) {
  const names = only?.split(',');
  const sessions = {};
  const ports = {};
  try {
    for (const [name, setting] of Object.entries(adminSettings)) {
      ports[name] = await freePort();
      sessions[name] = await startSession(name, {
        [setting]: String(ports[name]),
        LOG_LEVEL: 'warn',
        ...defaults[name],
      });
    }
    console.log(head);
    const idle = await measure({ sessions, ports, seconds });
    console.log(lineOf('no attack', idle, idle));
    const attacks = Object.entries(hurtful).flatMap(([service, list]) => list.map((found) => ({ service, ...found })));
    for (const attack of attacks.filter(({ name }) => names?.includes(name) ?? true)) {
      const felt = await measure({ sessions, ports, seconds, attack });
      console.log(lineOf(`${attack.service} ${attack.name}`, felt, idle));
      if (!felt.isGood) console.log(`    ${JSON.stringify(felt.statuses)} ${felt.failure} ${replayLine(attack)}`);
    }
  } finally {
    for (const session of Object.values(sessions)) await session.stop();
  }
}

async function measure({ sessions, ports, seconds, attack }) {
  // Each reading resets the counters.
  await lagOf(ports);
  const { add, block, statuses } = await besiege({ sessions, attack, seconds });
  const lag = await lagOf(ports);
  const felt = { add: quantilesOf(add), block: quantilesOf(block), lag };
  const failures = [...add.failures, ...block.failures];
  const isGood =
    failures.length === 0 &&
    Math.max(felt.add.p99, felt.block.p99) < goals.p99Ms &&
    Math.max(lag.storage.p99, lag.gateway.p99) < goals.lagMs;
  return {
    ...felt,
    statuses,
    isGood,
    failure: failures.length === 0 ? '' : `${failures.length} failed: ${failures[0]}`,
  };
}

const quantilesOf = ({ latencies }) => ({
  p50: quantile(latencies, 0.5),
  p99: quantile(latencies, 0.99),
  max: latencies.at(-1) ?? Number.NaN,
});

/** Lag of the event loops since the last reading in milliseconds. */
async function lagOf(ports) {
  const entries = Object.entries(ports).map(async ([name, port]) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const read = (key) =>
      Number(new RegExp(`^cairn_nodejs_eventloop_lag_${key}_seconds\\S* (\\S+)`, 'm').exec(text)?.[1]) * 1000;
    return [name, { p99: read('p99'), max: read('max') }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

const columns = [
  'add p50',
  'p99',
  'max',
  'ratio',
  'block p50',
  'p99',
  'max',
  'ratio',
  'lag storage p99',
  'max',
  'gateway p99',
  'max',
];
const head = `${'8 connections, milliseconds'.padEnd(40)}${columns.map((title) => title.padStart(title.length + 2)).join('')}`;

function lineOf(name, { add, block, lag }, idle) {
  const values = [
    add.p50,
    add.p99,
    add.max,
    add.p99 / idle.add.p99,
    block.p50,
    block.p99,
    block.max,
    block.p99 / idle.block.p99,
    lag.storage.p99,
    lag.storage.max,
    lag.gateway.p99,
    lag.gateway.max,
  ];
  const cells = values.map((value, at) =>
    value.toFixed(columns[at] === 'ratio' ? 1 : 0).padStart(columns[at].length + 2),
  );
  return `${name.padEnd(40)}${cells.join('')}`;
}
