#!/usr/bin/env node
// node peers.mjs [--rounds 3] [--seconds 3] [--mib 1024] [--only TEXT] [--write]: measures the services beside geth, anvil and Kubo, where they are
// available, alternately, with 32 connections. --only selects rows by a part of their name or peer. --write renews
// results/peers.json, the chart, and the tables in the root README; it needs all peers and all rows.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../peers/free-port.mjs';
import { startGeth } from '../peers/geth.mjs';
import { startKubo } from '../peers/kubo.mjs';
import { startEngine } from './evm/engines.mjs';
import { address, compiled } from './evm/workloads.mjs';
import { startAnvil } from './lib/anvil.mjs';
import { writePendingPages } from './lib/machine.mjs';
import { servicePid, startServices } from './lib/services.mjs';
import { engineRows } from './peers/engine-rows.mjs';
import { memoryRows } from './peers/memory.mjs';
import { middle, ratioOf, textOf, writeReport } from './peers/report.mjs';
import { checkRpc, measureRpc, readChain, rpcRows } from './peers/rpc-rows.mjs';
import { storageRows } from './peers/storage-rows.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    mib: { type: 'string', default: '1024' },
    only: { type: 'string', default: '' },
    home: { type: 'string', default: process.cwd() },
    write: { type: 'boolean', default: false },
  },
});
if (values.write && values.only !== '') throw new Error('--write needs all rows: remove --only.');
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const network = (name) => pathOf(`../sample-network/network/${name}`);
const load = () => loadavg()[0].toFixed(1);

const started = [];
const rows = [];
const home = mkdtempSync(join(values.home, '.cairn-bench-'));
const before = load();
try {
  const ports = {
    storage: await freePort(),
    gateway: await freePort(),
    console: await freePort(),
    ipfs: await freePort(),
  };
  // The default number of processes, since the peers use all cores. Memory is that of all processes of a service.
  const processes = process.env.CAIRN_PROCESSES ?? String(Math.min(8, availableParallelism()));
  const cairn = await startServices(home, { CAIRN_PROCESSES: processes }, ports);
  started.push(cairn);
  const gatewayUrl = `${cairn.gateway}/v3/${cairn.key}`;
  const chain = await readChain(gatewayUrl);
  const geth = await startGeth({ genesis: network('genesis.json'), blocks: network('chain.rlp') });
  const anvil = await startAnvil({
    code: { ...chain.code, [address]: compiled.code },
    transactions: chain.transactions,
  });
  const kubo = await startKubo();
  const peers = {
    geth: geth && { url: geth.url, blockHash: chain.blockHash },
    anvil: { url: anvil.url, blockHash: anvil.blockHash },
    Kubo: kubo && { url: kubo.url },
    'disk, synced writes': { directory: home },
  };
  for (const peer of [geth, anvil, kubo]) if (peer) started.push(peer);
  for (const [name, peer] of Object.entries(peers))
    if (peer === undefined) console.log(`${name} is skipped: node tools/peers/install.mjs builds it.`);

  const gateway = { url: gatewayUrl, blockHash: chain.blockHash };
  // Runs like a worker of the gateway, without HTTP.
  const engine = { engine: startEngine('compiled') };
  started.push(engine.engine);
  const storage = { url: cairn.storage, authorization: cairn.authorization };
  const measured = [
    ...rpcRows(chain).map((row) => ({
      ...row,
      ours: gateway,
      check: () => checkRpc(row, gateway, peers[row.peer]),
      measure: (server) => measureRpc(row, server, { seconds }),
    })),
    ...engineRows().map((row) => ({
      ...row,
      ours: engine,
      check: () => row.check(engine, peers[row.peer]),
    })),
    ...storageRows(Number(values.mib)).map((row) => ({
      peer: 'Kubo',
      ...row,
      ours: storage,
      measure: (server) => {
        // Kubo leaves up to 1 GiB to be written, which would slow the synced writes of the next measurement.
        writePendingPages();
        return row.measure(server, { seconds });
      },
    })),
  ];
  for (const { name, peer, goal, unit = '/s', ours, check, measure } of measured) {
    if (peers[peer] === undefined || !`${name} / ${peer}`.includes(values.only)) continue;
    await check?.();
    const found = [];
    // The first round warms up compilers and caches.
    for (let round = 0; round <= rounds; round++) {
      const pair = {
        ours: (await measure(ours)).perSecond,
        theirs: (await measure(peers[peer])).perSecond,
      };
      if (round > 0 || rounds === 0) found.push(pair);
    }
    const row = {
      name,
      peer,
      unit,
      goal,
      ours: middle(found.map((pair) => pair.ours)),
      theirs: middle(found.map((pair) => pair.theirs)),
      ratio: ratioOf(found),
    };
    rows.push(row);
    console.log(textOf(row));
  }
  const memory = memoryRows([
    {
      name: 'storage-api',
      pid: servicePid(cairn.pid, 'storage-api'),
      goal: 200,
      peers: [{ name: 'Kubo', pid: kubo?.pid }],
    },
    {
      name: 'rpc-gateway',
      pid: servicePid(cairn.pid, 'rpc-gateway'),
      goal: 250,
      peers: [{ name: 'geth', pid: geth?.pid }],
    },
    { name: 'console', pid: servicePid(cairn.pid, 'console'), goal: 80, peers: [] },
  ]);
  for (const { name, mebibytes, peers: others, goal } of memory)
    console.log(
      `memory of ${name}`.padEnd(60),
      `${Math.round(mebibytes)} MiB`,
      others.map((peer) => `${peer.name} ${Math.round(peer.mebibytes)} MiB`).join(', '),
      `(goal ${goal})`,
    );
  const machine = {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version.slice(1),
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    load: { before, after: load() },
    rounds,
  };
  if (values.write) {
    const missing = Object.entries(peers).flatMap(([name, peer]) => (peer === undefined ? [name] : []));
    if (missing.length > 0) throw new Error(`--write needs all peers, and ${missing.join(' and ')} is missing.`);
    const chart = pathOf('../../docs/pictures/peers.svg');
    const files = { json: pathOf('results/peers.json'), chart, readme: pathOf('../../README.md') };
    writeReport({ machine, rows, memory }, files);
  }
} finally {
  for (const { stop } of started.reverse()) await stop();
  rmSync(home, { recursive: true, force: true });
}
