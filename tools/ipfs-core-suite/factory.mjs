import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { create } from 'ipfs-http-client';

const main = fileURLToPath(new URL('../../apps/storage-api/dist/main.js', import.meta.url));

/** What the suite calls to get a node: the built service, behind ipfs-http-client with Basic auth. */
export function createFactory() {
  const running = new Set();
  return {
    // The suite asks what Kubo ("go") and js-ipfs ("js") do differently.
    opts: { type: 'go' },
    async spawn({ ipfsOptions } = {}) {
      const service = await startService(settingsOf(ipfsOptions?.config));
      running.add(service);
      const api = create({ url: `${service.url}/api/v0`, headers: { authorization: service.authorization } });
      return { api: withFormerDefaults(api), stop: () => service.stop() };
    },
    async clean() {
      for (const service of running) await service.stop();
      running.clear();
    },
  };
}

/**
 * The suite is older than Kubo 0.13, where `block/put` began to name blocks as raw: what it puts without saying how, it
 * means as dag-pb of version 0. It says so here.
 */
function withFormerDefaults(api) {
  const { put } = api.block;
  api.block.put = (data, options = {}) =>
    put(data, options.format || options.mhtype ? options : { format: 'v0', ...options });
  return api;
}

/** The settings of Kubo that the suite asks for, as ours. */
function settingsOf(config) {
  const threshold = config?.Internal?.UnixFSShardingSizeThreshold;
  return { STORAGE_GC_GRACE_SECONDS: '0', ...(threshold === '1B' && { STORAGE_SHARD_BYTES: '1' }) };
}

async function startService(settings) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-suite-'));
  const authorization = await makeAccount(home);
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
      CAIRN_HOME: home,
      STORAGE_API_PORT: new URL(url).port,
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('the service ended; build it first: npx nx build @cairn/storage-api');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    authorization,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}

async function makeAccount(home) {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  await auth.createAccount({ name: 'suite' });
  await auth.attachCard('suite', { brand: 'visa', last4: '4242' });
  const { key, secret } = await auth.createKey('suite');
  await auth.close();
  return `Basic ${Buffer.from(`${key.id}:${secret}`).toString('base64')}`;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
