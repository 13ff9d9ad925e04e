import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { freePort } from './free-port.mjs';
import { startServer } from './process.mjs';

const app = (name) => fileURLToPath(new URL(`../../apps/${name}/dist/main.js`, import.meta.url));

/** Runs `use` with the accounts of a home, also while services run on it. */
async function withAuth(home, use) {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  try {
    return await use(auth);
  } finally {
    await auth.close();
  }
}

/** @param {(text: string) => void} [onOutput] gets the log as it is written */
const startService = async (name, home, env, onOutput, nodeArgs = []) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { child, stop, output } = await startServer({
    name,
    command: process.execPath,
    args: [...nodeArgs, app(name)],
    env: { CAIRN_HOME: home, LOG_LEVEL: 'warn', ...env(port) },
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
    ...(onOutput && { onOutput }),
  });
  const remove = () => rmSync(home, { recursive: true, force: true });
  return { url, port, pid: child.pid, output, stop: () => stop().then(remove) };
};

/**
 * Starts the built storage service over a new home.
 * @param {Readonly<Record<string, string>>} [settings] as environment variables
 * @param {{ onOutput?: (text: string) => void, nodeArgs?: readonly string[] }} [options] `nodeArgs`: options of Node
 * @returns its URL, `openAccount` (a new empty account; resolves with `{ id, key, secret, authorization }`), and `stop`
 */
export async function startStorage(settings = {}, { onOutput, nodeArgs } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-storage-'));
  const env = (port) => ({ STORAGE_API_PORT: String(port), ...settings });
  const service = await startService('storage-api', home, env, onOutput, nodeArgs);
  let count = 0;
  const openAccount = ({ plan = 'local' } = {}) =>
    withAuth(home, async (auth) => {
      const key = `account${++count}`;
      const { id } = await auth.createAccount({ name: key, plan });
      await auth.attachCard(key, { brand: 'visa', last4: '4242' });
      await auth.createKey(key, { id: key, secret: `secret-of-${key}` });
      const secret = `secret-of-${key}`;
      return { id, key, secret, authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
    });
  return { ...service, home, openAccount };
}

/**
 * Starts the built gateway over a new home, with one network that does not require `from`: imported from files, or read from
 * upstreams.
 * @param {{ genesis: string, blocks?: string } | { upstreams: readonly string[], head: object, chainId?: number, genesis?: string }} chain
 * paths, as for `startGeth`, or fields of a network with upstreams
 * @param {Readonly<Record<string, string>>} [settings] as environment variables
 * @param {{ onOutput?: (text: string) => void, nodeArgs?: readonly string[] }} [options] as for `startStorage`
 * @returns its JSON-RPC URLs, `openAccount` (a new account; resolves with `{ id, key }`), and `stop`
 */
export async function startGateway(chain, settings = {}, { onOutput, nodeArgs } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-'));
  const key = 'differential';
  await withAuth(home, async (auth) => {
    await auth.createAccount({ name: 'caller', plan: 'local' });
    await auth.createKey('caller', { id: key });
  });
  // The accounts of a recorded chain serve requests; networks files have no such member.
  const { blocks, accounts: _, ...rest } = chain;
  const network = { name: 'chain', hosts: ['*'], requireFrom: false, ...rest, ...(blocks && { blocks: [blocks] }) };
  const file = join(home, 'networks.json');
  writeFileSync(file, JSON.stringify({ networks: [network] }));
  const env = (port) => ({ RPC_GATEWAY_PORT: String(port), CAIRN_NETWORKS: file, ...settings });
  const service = await startService('rpc-gateway', home, env, onOutput, nodeArgs);
  const { url } = service;
  let count = 0;
  const openAccount = ({ plan = 'local' } = {}) =>
    withAuth(home, async (auth) => {
      const key = `account${++count}`;
      const { id } = await auth.createAccount({ name: key, plan });
      await auth.createKey(key, { id: key });
      return { id, key };
    });
  return {
    ...service,
    home,
    openAccount,
    url: `${url}/v3/${key}`,
    webSocketUrl: `${url.replace('http', 'ws')}/ws/v3/${key}`,
  };
}
