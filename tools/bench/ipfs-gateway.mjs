import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { measureMemory } from './ipfs-gateway/memory.mjs';
import { startGateways } from './ipfs-gateway/servers.mjs';
import { cpuSecondsOf } from './lib/process-tree.mjs';

const generator = fileURLToPath(new URL('lib/raw-load.mjs', import.meta.url));

/** Measures the IPFS gateway and, where it is built, Kubo's, alternately: rate, bytes and CPU time of each kind of request. */
export async function benchIpfsGateway({ home, mebibytes = 1024, rounds = 3, seconds = 5, only, profile }) {
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const { root, cairn, peer, stop } = await startGateways({ home, mebibytes, nodeOptions });
  try {
    if (peer === undefined) console.log('Kubo is not built; run `node tools/peers/install.mjs kubo` to compare.');
    const cases = [
      { name: 'hot file of 64 KiB, 64 connections', path: `/ipfs/${root}/64KiB.bin`, connections: 64, goal: 2 },
      { name: 'hot file of 4 KiB, 64 connections', path: `/ipfs/${root}/4KiB.bin`, connections: 64, goal: 2 },
      {
        name: `file of ${mebibytes} MiB, 2 connections`,
        path: `/ipfs/${root}/large.bin`,
        connections: 2,
        goal: 1,
        isBytes: true,
      },
      { name: 'listing of 1,000 entries, 16 connections', path: `/ipfs/${root}/listing/`, connections: 16, goal: 1 },
      {
        name: 'CAR of 16 MiB, 4 connections',
        path: `/ipfs/${root}/archive?format=car`,
        connections: 4,
        goal: 1,
        isBytes: true,
      },
    ].filter(({ name }) => only === undefined || name.includes(only));
    for (const one of cases) await compare(one, { cairn, peer, rounds, seconds });
    if (only === undefined || only === 'memory') await measureMemory({ cairn, peer, root });
  } finally {
    await stop();
  }
}

async function compare({ name, path, connections, goal, isBytes = false }, { cairn, peer, rounds, seconds }) {
  const measured = { cairn: [], kubo: [] };
  for (let round = 0; round < rounds; round++)
    for (const server of [cairn, peer])
      if (server !== undefined)
        measured[server.name].push(await measure(server, { path, connections, seconds, isBytes }));
  const key = isBytes ? 'mebibytesPerSecond' : 'perSecond';
  const unit = isBytes ? 'MiB/s' : '/s';
  const ours = median(measured.cairn.map((one) => one[key]));
  let text = `${name.padEnd(44)} ${String(Math.round(ours)).padStart(7)} ${unit}`;
  if (peer !== undefined) {
    const ratios = measured.cairn.map((one, index) => one[key] / measured.kubo[index][key]).sort((a, b) => a - b);
    const cpu = measured.cairn.map((one, index) => measured.kubo[index].cpu / one.cpu).sort((a, b) => a - b);
    const spread = (list) => `${median(list).toFixed(2)} (${list[0].toFixed(2)} to ${list.at(-1).toFixed(2)})`;
    text += `; of Kubo's rate: ${spread(ratios)}, goal ${goal}; per CPU time: ${spread(cpu)}`;
  }
  const [{ p50, p99 }] = measured.cairn;
  console.log(`${text}; p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
}

/** @returns rate, latencies, and CPU seconds of the server for each request, or for each byte of large responses */
async function measure({ url, pid }, { path, connections, seconds, isBytes }) {
  const child = fork(generator);
  child.send({ url, connections, seconds, paths: [path], host: new URL(url).host });
  const before = cpuSecondsOf(pid);
  const [result] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the load generator exited with ${code}`))),
  ]);
  return { ...result, cpu: (cpuSecondsOf(pid) - before) / (isBytes ? result.bytes : result.count) };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
