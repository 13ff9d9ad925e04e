import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './lib/load.mjs';
import { servicePid, startServices } from './lib/services.mjs';

const KiB = 1024;
const program = fileURLToPath(new URL('ipfs-peer/requesters.mjs', import.meta.url));
const swarmPort = 14_001;
const peers = 50;
const processes = 2;
const blocks = 10_000;
const blockBytes = 4 * KiB;
/** Adds of each size in one phase. */
const adds = 300;

/**
 * Measures `add` while 50 peers request 10,000 blocks each from the IPFS peer, beside the same adds while they are connected and
 * idle, in alternation. The peers get only processor time that nothing else needs (`SCHED_IDLE`), since they would run on other
 * machines.
 */
export async function benchIpfsPeerLoad({ home, rounds = 3 }) {
  const directory = mkdtempSync(join(home, '.cairn-bench-load-'));
  const services = await startServices(directory, {
    CAIRN_IPFS_PEER: 'on',
    IPFS_PEER_API_PORT: '15011',
    IPFS_PEER_LISTEN: `/ip4/127.0.0.1/tcp/${swarmPort}`,
    IPFS_PEER_BOOTSTRAP: 'none',
    IPFS_PEER_ROUTING: 'none',
  });
  const pids = { api: servicePid(services.pid, 'storage-api'), peer: servicePid(services.pid, 'ipfs-peer') };
  let requesters = [];
  try {
    const cids = await addBlocks(services);
    requesters = await Promise.all(Array.from({ length: processes }, startRequesters));
    console.log(`${peers} peers are connected`);
    const results = [];
    for (let round = 0; round < rounds; round++) {
      const idle = await addsOfBothSizes(services);
      results.push({ idle, ...(await underLoad(services, requesters, cids, pids)) });
    }
    print(results);
  } finally {
    for (const requester of requesters) requester.kill();
    await services.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Adds one file with leaves of 4 KiB. Returns their CIDs when peers get them. */
async function addBlocks({ storage, authorization }) {
  const post = async (path, body) => {
    const response = await fetch(`${storage}/api/v0/${path}`, { method: 'POST', headers: { authorization }, body });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return await response.text();
  };
  const body = new FormData();
  body.append('file', new Blob([randomBytes(blocks * blockBytes)]));
  const { Hash: root } = JSON.parse(await post(`add?cid-version=1&chunker=size-${blockBytes}&quieter=true`, body));
  const refs = (await post(`refs?arg=${root}&recursive=true&unique=true`)).split('\n').filter(Boolean);
  return refs.map((line) => JSON.parse(line).Ref).slice(0, blocks);
}

async function startRequesters() {
  const child = fork(program, [`/ip4/127.0.0.1/tcp/${swarmPort}`, String(peers / processes)], {
    execPath: 'chrt',
    execArgv: ['--idle', '0', process.execPath],
  });
  await answer(child, 'isReady');
  return child;
}

function answer(child, field) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`Requesters ended with code ${code}.`));
    const onMessage = (message) => {
      if (!(field in message)) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(message[field]);
    };
    child.on('message', onMessage);
    child.once('exit', onExit);
  });
}

/** Repeats the adds while the peers request all blocks. The requests end with the adds. */
async function underLoad(services, requesters, cids, pids) {
  const done = requesters.map((child) => {
    const end = answer(child, 'completed');
    child.send({ cids });
    return end;
  });
  // The first answers are on their way.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const before = { received: await count(requesters), at: performance.now(), ...cpuOf(pids) };
  const loaded = await addsOfBothSizes(services);
  const seconds = (performance.now() - before.at) / 1000;
  const after = { received: await count(requesters), ...cpuOf(pids) };
  await count(requesters, { isEnd: true });
  const completed = (await Promise.all(done)).reduce((sum, number) => sum + number, 0);
  return {
    loaded,
    completed,
    blocksPerSecond: (after.received - before.received) / seconds,
    peerCpu: (after.peer - before.peer) / seconds,
    apiCpu: (after.api - before.api) / seconds,
  };
}

async function count(requesters, message = {}) {
  const counts = await Promise.all(
    requesters.map((child) => {
      const received = answer(child, 'received');
      child.send(message);
      return received;
    }),
  );
  return counts.reduce((sum, received) => sum + received, 0);
}

/** CPU seconds of the services. */
function cpuOf(pids) {
  const seconds = (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  return { peer: seconds(pids.peer), api: seconds(pids.api) };
}

async function addsOfBothSizes(services) {
  return { small: await measureAdds(services, 4 * KiB), large: await measureAdds(services, 256 * KiB) };
}

async function measureAdds({ storage, authorization }, bytes) {
  const boundary = 'cairn-bench';
  const headers = { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` };
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="file"\r\n\r\n`;
  const next = () => ({
    path: '/api/v0/add?cid-version=1',
    method: 'POST',
    headers,
    body: Buffer.concat([Buffer.from(head), randomBytes(bytes), Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
  return await load(storage, { connections: 4, count: adds, next });
}

function print(results) {
  const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  for (const { completed, blocksPerSecond, peerCpu, apiCpu } of results)
    console.log(
      `${peers} peers: ${Math.round(blocksPerSecond)} blocks/s, CPU of the peer ${percent(peerCpu)}, of the API ${percent(apiCpu)}; ${completed} had all blocks before the end of the adds`,
    );
  for (const [name, size] of [
    ['add 4 KiB', 'small'],
    ['add 256 KiB', 'large'],
  ]) {
    for (const figure of ['p50', 'p99']) {
      const [idle, loaded] = ['idle', 'loaded'].map((phase) =>
        middle(results.map((result) => result[phase][size][figure])),
      );
      const ratios = results.map(({ idle: at, loaded: under }) => (under[size][figure] / at[size][figure]).toFixed(2));
      console.log(
        `${`${name}, ${figure}`.padEnd(20)} ${loaded.toFixed(1).padStart(8)} ms, idle ${idle.toFixed(1)} ms: ${(loaded / idle).toFixed(2)} (rounds ${ratios.join(', ')})${figure === 'p99' ? ', goal 1.5' : ''}`,
      );
    }
  }
}

const percent = (share) => `${Math.round(100 * share)} %`;
