import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { create } from 'ipfs-http-client';
import { create as createRpcClient } from 'kubo-rpc-client';
import { freePort } from '../peers/free-port.mjs';

const main = fileURLToPath(new URL('../../apps/storage-api/dist/main.js', import.meta.url));
const peerMain = fileURLToPath(new URL('../../apps/ipfs-peer/dist/main.js', import.meta.url));

/**
 * Creates the nodes of the suite: one account each on the built service, behind ipfs-http-client with Basic auth. With
 * `isShared`, one process serves all accounts with equal settings; each account has its own pins and files. Tests that
 * read the blocks of a node need their own process. With `hasPeer`, each node has an IPFS peer, and its key the grant `node`.
 */
export function createFactory({ isShared, hasPeer = false }) {
  const services = new Map();
  const stop = async () => {
    for (const service of services.values()) await service.stop();
    services.clear();
  };
  return {
    // The suite expects the differences of Kubo ("go") or js-ipfs ("js").
    opts: { type: 'go' },
    async spawn({ ipfsOptions } = {}) {
      const settings = settingsOf(ipfsOptions?.config);
      const key = isShared ? JSON.stringify(settings) : services.size;
      if (!services.has(key)) services.set(key, await startService(settings, hasPeer));
      const service = services.get(key);
      const headers = { authorization: await service.openAccount() };
      const options = { url: `${service.url}/api/v0`, headers };
      const api = withRouting(withFormerDefaults(create(options)), options);
      return { api, stop: async () => isShared || (await service.stop()) };
    },
    /** Runs after each part of the suite. */
    clean: async () => isShared || (await stop()),
    stop,
  };
}

/**
 * The suite is older than Kubo 0.13, which changed the default of `block/put` from dag-pb version 0 to raw. This client
 * requests the old default.
 */
function withFormerDefaults(api) {
  const { put } = api.block;
  api.block.put = (data, options = {}) =>
    put(data, options.format || options.mhtype ? options : { format: 'v0', ...options });
  return api;
}

/** Kubo has replaced the commands `dht/*`, which this client calls, by those of `routing`, with the same functions. */
function withRouting(api, options) {
  const { routing } = createRpcClient(options);
  api.dht = { ...api.dht, ...routing };
  return api;
}

/** Maps settings of Kubo that the suite requests to those of the service. */
function settingsOf(config) {
  const threshold = config?.Internal?.UnixFSShardingSizeThreshold;
  return { STORAGE_GC_GRACE_SECONDS: '0', ...(threshold === '1B' && { STORAGE_SHARD_BYTES: '1' }) };
}

async function startService(settings, hasPeer) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-suite-'));
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  let accounts = 0;
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = hasPeer ? await startPeer(home) : undefined;
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
      CAIRN_HOME: home,
      STORAGE_API_PORT: new URL(url).port,
      ...(peer !== undefined && { IPFS_PEER_URL: peer.url }),
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await ready(child, url);
  return {
    url,
    openAccount: () => openAccount(auth, `suite-${++accounts}`, hasPeer),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      await auth.close();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await peer?.stop();
      rmSync(home, { recursive: true });
    },
  };
}

/** Starts an IPFS peer on loopback, which dials private addresses. */
async function startPeer(home) {
  const [port, apiPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${apiPort}`;
  const child = spawn(process.execPath, [peerMain], {
    env: {
      ...process.env,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
      CAIRN_HOME: home,
      IPFS_PEER_API_PORT: String(apiPort),
      IPFS_PEER_LISTEN: `/ip4/127.0.0.1/tcp/${port}`,
      IPFS_PEER_BOOTSTRAP: 'none',
      IPFS_PEER_ROUTING: 'dhtserver',
      IPFS_PEER_ALLOW_PRIVATE: 'yes',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await ready(child, url);
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function ready(child, url) {
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('a service ended; build it first: npx nx build @cairn/storage-api');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function openAccount(auth, name, hasGrant) {
  await auth.createAccount({ name });
  await auth.attachCard(name, { brand: 'visa', last4: '4242' });
  const { key, secret } = await auth.createKey(name, hasGrant ? { policy: { grants: ['node'] } } : {});
  return `Basic ${Buffer.from(`${key.id}:${secret}`).toString('base64')}`;
}
