import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { create } from 'ipfs-http-client';

const main = fileURLToPath(new URL('../../apps/storage-api/dist/main.js', import.meta.url));

/**
 * What the suite calls to get a node: an account of its own on the built service, behind ipfs-http-client with Basic
 * auth. Accounts share one service for each set of settings, as they do in production.
 */
export function createFactory() {
  const services = new Map();
  return {
    async spawn({ ipfsOptions } = {}) {
      const settings = settingsOf(ipfsOptions?.config);
      const key = JSON.stringify(settings);
      if (!services.has(key)) services.set(key, startService(settings));
      const service = await services.get(key);
      const authorization = await makeAccount(service.home);
      return { api: create({ url: `${service.url}/api/v0`, headers: { authorization } }), stop: async () => {} };
    },
    // The suite cleans up after each of its parts; the services stay for the next one.
    async clean() {},
    async stop() {
      for (const service of services.values()) await (await service).stop();
    },
  };
}

/** The settings of Kubo that the suite asks for, as ours. */
function settingsOf(config) {
  const threshold = config?.Internal?.UnixFSShardingSizeThreshold;
  return { STORAGE_GC_GRACE_SECONDS: '0', ...(threshold === '1B' && { STORAGE_SHARD_BYTES: '1' }) };
}

async function startService(settings) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-suite-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, LOG_LEVEL: 'warn', CAIRN_HOME: home, STORAGE_API_PORT: new URL(url).port, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('the service ended; build it first: npx nx build @cairn/storage-api');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    home,
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}

async function makeAccount(home) {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  const name = `suite-${randomUUID()}`;
  await auth.createAccount({ name });
  await auth.attachCard(name, { brand: 'visa', last4: '4242' });
  const { key, secret } = await auth.createKey(name);
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
