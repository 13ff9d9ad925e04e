import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../tools/peers/kubo.mjs';

// Same entry as `npm start` of the package.
const main = fileURLToPath(new URL('../../ipfs-peer/dist/main.js', import.meta.url));

/** The built IPFS peer in its own process, over the home of a service. Its ports stay equal after a restart. */
export class PeerProcess {
  readonly #env: Record<string, string> = {};
  url = '';
  log = '';
  #child: ChildProcess | undefined;

  constructor(home: string, env: Readonly<Record<string, string>> = {}) {
    Object.assign(this.#env, {
      CAIRN_HOME: home,
      IPFS_PEER_BOOTSTRAP: 'none',
      IPFS_PEER_ROUTING: 'none',
      IPFS_PEER_ALLOW_PRIVATE: 'yes',
      ...env,
    });
  }

  async start(): Promise<void> {
    if (this.url === '') {
      const port = await freePort();
      this.url = `http://127.0.0.1:${port}`;
      this.#env.IPFS_PEER_API_PORT = String(port);
      this.#env.IPFS_PEER_LISTEN = `/ip4/127.0.0.1/tcp/${await freePort()}`;
    }
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    while (
      !(await fetch(`${this.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`the peer ended: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

/** Starts a Kubo that accepts connections on loopback and knows no other peer. */
export async function startRemoteKubo() {
  const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const kubo = await startKubo({
    isOffline: false,
    config: (config) => {
      config.Addresses = { ...(config.Addresses as object), Swarm: [address] };
    },
  });
  if (kubo === undefined) return undefined;
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${kubo.url}/api/v0/${path}`, { method: 'POST', ...init });
    if (!response.ok) throw new Error(`Kubo refused ${path}: ${await response.text()}`);
    return await response.text();
  };
  const { ID: peer } = JSON.parse(await call('id')) as { readonly ID: string };
  return {
    ...kubo,
    call,
    address: `${address}/p2p/${peer}`,
    /** Adds a file and returns its root. */
    async add(bytes: Uint8Array, query = ''): Promise<string> {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(bytes)]));
      const lines = await call(`add?cid-version=1&raw-leaves=true&quieter=true${query}`, { body });
      return (JSON.parse(lines.trim().split('\n').at(-1) ?? '') as { readonly Hash: string }).Hash;
    },
  };
}

export type RemoteKubo = NonNullable<Awaited<ReturnType<typeof startRemoteKubo>>>;
