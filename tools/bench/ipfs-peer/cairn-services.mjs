import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startStorage } from '../../peers/cairn.mjs';
import { freePort } from '../../peers/free-port.mjs';

/** The flags of `npm start`. */
const flags = {
  storage: ['--max-semi-space-size=2', '--heap-growing-percent=150', '--no-flush-bytecode'],
  peer: ['--max-semi-space-size=8', '--heap-growing-percent=200', '--single-threaded-gc'],
};

const peerMain = fileURLToPath(new URL('../../../apps/ipfs-peer/dist/main.js', import.meta.url));

/** Starts the built storage API and the built IPFS peer over one new home. `profile` names a directory for CPU profiles of both. */
export async function startCairnServices({ profile, onOutput } = {}) {
  const nodeArgs = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const [apiPort, swarmPort] = [await freePort(), await freePort()];
  const storage = await startStorage(
    { IPFS_PEER_URL: `http://127.0.0.1:${apiPort}`, STORAGE_BLOCK_WAIT_SECONDS: '30' },
    { nodeArgs: [...nodeArgs, ...flags.storage], ...(onOutput && { onOutput }) },
  );
  const { authorization } = await storage.openAccount();
  const peer = await startPeer([...nodeArgs, ...flags.peer], {
    CAIRN_HOME: storage.home,
    IPFS_PEER_API_PORT: String(apiPort),
    IPFS_PEER_LISTEN: `/ip4/127.0.0.1/tcp/${swarmPort}`,
    IPFS_PEER_BOOTSTRAP: 'none',
    IPFS_PEER_ROUTING: 'none',
    IPFS_PEER_ALLOW_PRIVATE: 'yes',
    LOG_LEVEL: 'warn',
  });
  const call = async (path, init = {}) => {
    const url = `${storage.url}/api/v0/${path}`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization },
      signal: AbortSignal.timeout(300_000),
      ...init,
    });
    if (!response.ok) throw new Error(`Cairn refused ${path}: ${await response.text()}`);
    return response;
  };
  const { ID: id } = await (await call('id')).json();
  return {
    provider: { peer: id, addresses: [`/ip4/127.0.0.1/tcp/${swarmPort}/p2p/${id}`] },
    pids: [storage.pid, peer.pid],
    call,
    async stop() {
      await peer.stop();
      await storage.stop();
    },
  };
}

async function startPeer(nodeArgs, env) {
  const child = spawn(process.execPath, [...nodeArgs, peerMain], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${env.IPFS_PEER_API_PORT}/readyz`;
  const isReady = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`ipfs-peer ended with code ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid, stop };
}
