import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { writeCar } from '@cairn/dag';
import { importTree, profiles } from '@cairn/unixfs';
import { freePort } from '../../peers/free-port.mjs';
import { startKubo } from '../../peers/kubo.mjs';
import { startServer } from '../../peers/process.mjs';

const MiB = 1024 * 1024;
const main = fileURLToPath(new URL('../../../apps/ipfs-gateway/dist/main.js', import.meta.url));

/** Bytes without a pattern, different for each seed. */
function noise(length, seed) {
  const bytes = Buffer.alloc(length);
  let state = seed * 2654435761 + 1;
  for (let at = 0; at + 4 <= length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
}

async function* file(bytes) {
  yield bytes;
}

async function* largeFile(mebibytes) {
  for (let n = 0; n < mebibytes; n++) yield noise(MiB, n + 1000);
}

function* entries(mebibytes) {
  yield { path: 'root/64KiB.bin', content: file(noise(64 * 1024, 1)) };
  yield { path: 'root/4KiB.bin', content: file(noise(4096, 2)) };
  yield { path: 'root/large.bin', content: largeFile(mebibytes) };
  for (let n = 0; n < 1000; n++) yield { path: `root/listing/file ${n}.txt`, content: file(Buffer.from(`file ${n}`)) };
  for (let n = 0; n < 64; n++) yield { path: `root/archive/${n}.bin`, content: file(noise(256 * 1024, n + 10)) };
}

/** Writes the content into the store of a home. @returns the CID of the directory with all of it */
async function writeContent(home, mebibytes) {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  let root;
  for await (const { cid, isRoot } of importTree(entries(mebibytes), blocks, profiles['unixfs-v1-2025']))
    if (isRoot) root = cid;
  await blocks.sync();
  return { root, blocks };
}

/** Copies all blocks into Kubo, in archives of about 64 MiB. */
async function copyToKubo(blocks, url) {
  let batch = [];
  let bytes = 0;
  const flush = async () => {
    const form = new FormData();
    const parts = [];
    for await (const part of writeCar([], batch)) parts.push(part);
    form.append('file', new Blob(parts));
    const response = await fetch(`${url}/api/v0/dag/import?pin-roots=false`, { method: 'POST', body: form });
    if (!response.ok) throw new Error(await response.text());
    await response.text();
    batch = [];
    bytes = 0;
  };
  for await (const cid of blocks.keys()) {
    const block = { cid, bytes: await blocks.get(cid) };
    batch.push(block);
    bytes += block.bytes.length;
    if (bytes > 64 * MiB) await flush();
  }
  if (batch.length > 0) await flush();
}

/**
 * Starts the IPFS gateway, and Kubo's where it is built, over the same content.
 * @param {{ home: string, mebibytes: number, nodeOptions?: readonly string[] }} options
 * @returns both servers with their URL and process, the CID of the content, and `stop`
 */
export async function startGateways({ home, mebibytes, nodeOptions = [] }) {
  const directory = mkdtempSync(join(home, '.cairn-gateway-bench-'));
  const { root, blocks } = await writeContent(directory, mebibytes);
  const kuboPort = await freePort();
  const kubo = await startKubo({
    config: (config) => {
      config.Addresses.Gateway = [`/ip4/127.0.0.1/tcp/${kuboPort}`];
      config.Gateway = { ...config.Gateway, NoFetch: true };
    },
  });
  if (kubo !== undefined) await copyToKubo(blocks, kubo.url);
  await blocks.close();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ours = await startServer({
    name: 'ipfs-gateway',
    command: process.execPath,
    args: [...nodeOptions, '--max-semi-space-size=2', main],
    env: { CAIRN_HOME: directory, IPFS_GATEWAY_PORT: String(port), IPFS_GATEWAY_ACCESS: 'public', LOG_LEVEL: 'warn' },
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
  });
  const stop = async () => {
    await ours.stop();
    await kubo?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const cairn = { name: 'cairn', url, pid: ours.child.pid };
  const peer = kubo && { name: 'kubo', url: `http://127.0.0.1:${kuboPort}`, pid: kubo.pid };
  return { root: root.toString(), cairn, peer, stop };
}
