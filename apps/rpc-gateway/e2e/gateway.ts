import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const readyWithinMs = 60_000;

/** The key of an account in good standing. */
export const key = 'e2e-key';
/** The key of a suspended account. */
export const suspendedKey = 'e2e-suspended-key';
/** Directories of the repository and of the optional conformance data beside it. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));
export const conformance = join(repository, '..', 'shared', 'conformance');

export interface GatewayOptions {
  /** Default: a new directory with both accounts, which `stop` removes. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Entries of the networks file. Default: no CAIRN_NETWORKS. */
  readonly networks?: readonly unknown[];
}

/** A gateway in a process of its own, as in production. */
export interface Gateway {
  readonly process: ChildProcess;
  readonly home: string;
  readonly port: number;
  /** `http://127.0.0.1:<port>/v3/<key>` */
  readonly url: string;
  readonly webSocketUrl: string;
  readonly log: readonly string[];
  /** Waits until /readyz returns 200. @throws with the log after one minute */
  ready(): Promise<void>;
  /** Sends a signal and waits for the exit. Resolves with the exit code, `null` for a killed process. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends the process and removes its files. */
  stop(): Promise<void>;
}

/** Creates a home with an active and a suspended account. */
export async function createHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-gateway-'));
  await withAuth(home, async (auth) => {
    await auth.createAccount({ name: 'caller', plan: 'local' });
    await auth.createKey('caller', { id: key });
    await auth.createAccount({ name: 'suspended', plan: 'local' });
    await auth.createKey('suspended', { id: suspendedKey });
    await auth.setStatus('suspended', 'suspended');
  });
  return home;
}

/** Opens the accounts of a home, also while a gateway uses it. */
export async function withAuth(home: string, use: (auth: Auth) => Promise<void>): Promise<void> {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
  try {
    await use(auth);
  } finally {
    await auth.close();
  }
}

/** Starts a gateway and waits until it listens; `ready` waits for the import. */
export async function launchGateway({ home: given, env = {}, networks }: GatewayOptions = {}): Promise<Gateway> {
  const home = given ?? (await createHome());
  const settings: Record<string, string> = {
    CAIRN_HOME: home,
    RPC_GATEWAY_PORT: '0',
    // One process starts faster. TEST_PROCESSES=2 runs a suite against several.
    CAIRN_PROCESSES: process.env.TEST_PROCESSES ?? '1',
    ...env,
  };
  if (networks) {
    settings.CAIRN_NETWORKS = join(home, 'networks.json');
    await writeFile(settings.CAIRN_NETWORKS, JSON.stringify({ networks }));
  }
  const child = spawn(process.execPath, [main], {
    cwd: home,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const port = await listeningPort(child, log);
  const scheme = settings.TLS_CERT ? 'https' : 'http';
  const base = `${scheme}://127.0.0.1:${port}`;
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    process: child,
    home,
    port,
    url: `${base}/v3/${key}`,
    webSocketUrl: `${base.replace('http', 'ws')}/ws/v3/${key}`,
    log,
    async ready() {
      const deadline = Date.now() + readyWithinMs;
      for (;;) {
        const response = await fetch(`${base}/readyz`);
        if (response.status === 200) return;
        const text = await response.text();
        if (Date.now() > deadline || text.includes('cannot be served'))
          throw new Error(`The gateway is not ready:\n${text}\n${log.join('\n')}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    end,
    async stop() {
      await end();
      if (given === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

/** Starts a gateway and waits until it is ready. */
export async function startGateway(options?: GatewayOptions): Promise<Gateway> {
  const gateway = await launchGateway(options);
  try {
    await gateway.ready();
  } catch (error) {
    await gateway.stop();
    throw error;
  }
  return gateway;
}

async function listeningPort(child: ChildProcess, log: string[]): Promise<number> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The gateway was started without pipes.');
  createInterface({ input: stderr }).on('line', (line) => log.push(line));
  return await new Promise<number>((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (line) => {
      log.push(line);
      const [, port] = /"port":(\d+).*listens/.exec(line) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`The gateway ended before it listened:\n${log.join('\n')}`)));
  });
}

/** One answer of the gateway. */
export interface Answer {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Sends a body unchanged. */
export function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

/** Calls one method over HTTP. */
export async function call(url: string, method: string, params: readonly unknown[] = []): Promise<Answer> {
  const response = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return (await response.json()) as Answer;
}

/** Polls until a condition holds. @throws after `withinMs` */
export async function until(condition: () => Promise<boolean>, description: string, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Timeout after ${withinMs} ms: ${description}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
