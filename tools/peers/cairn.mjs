import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { freePort, startServer } from './process.mjs';

const app = (name) => fileURLToPath(new URL(`../../apps/${name}/dist/main.js`, import.meta.url));

/** Runs `use` on the accounts of a home, also while services run on it. */
async function withAuth(home, use) {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  try {
    return await use(auth);
  } finally {
    await auth.close();
  }
}

const startService = async (name, home, env) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { stop, output } = await startServer({
    name,
    command: process.execPath,
    args: [app(name)],
    env: { CAIRN_HOME: home, LOG_LEVEL: 'warn', ...env(port) },
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
  });
  const remove = () => rmSync(home, { recursive: true, force: true });
  return { url, output, stop: () => stop().then(remove) };
};

/**
 * Starts the built storage service over a new home.
 * @param {Readonly<Record<string, string>>} [settings] as environment variables
 * @returns its URL, `openAccount` (a new empty account; resolves with `{ key, secret, authorization }`), and `stop`
 */
export async function startStorage(settings = {}) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-storage-'));
  const service = await startService('storage-api', home, (port) => ({ STORAGE_API_PORT: String(port), ...settings }));
  let count = 0;
  const openAccount = () =>
    withAuth(home, async (auth) => {
      const key = `account${++count}`;
      await auth.createAccount({ name: key, plan: 'local' });
      await auth.attachCard(key, { brand: 'visa', last4: '4242' });
      await auth.createKey(key, { id: key, secret: `secret-of-${key}` });
      const secret = `secret-of-${key}`;
      return { key, secret, authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
    });
  return { ...service, home, openAccount };
}

/**
 * Starts the built gateway over a new home, with one network that is imported from files and does not require `from`.
 * @param {{ genesis: string, blocks?: string }} chain paths, as for `startGeth`
 * @param {Readonly<Record<string, string>>} [settings] as environment variables
 * @returns its JSON-RPC URLs and `stop`
 */
export async function startGateway({ genesis, blocks }, settings = {}) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-'));
  const key = 'differential';
  await withAuth(home, async (auth) => {
    await auth.createAccount({ name: 'caller', plan: 'local' });
    await auth.createKey('caller', { id: key });
  });
  const network = { name: 'chain', hosts: ['*'], genesis, blocks: blocks ? [blocks] : [], requireFrom: false };
  const file = join(home, 'networks.json');
  writeFileSync(file, JSON.stringify({ networks: [network] }));
  const service = await startService('rpc-gateway', home, (port) => ({
    RPC_GATEWAY_PORT: String(port),
    CAIRN_NETWORKS: file,
    ...settings,
  }));
  const { url } = service;
  return { ...service, home, url: `${url}/v3/${key}`, webSocketUrl: `${url.replace('http', 'ws')}/ws/v3/${key}` };
}
