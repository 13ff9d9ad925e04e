import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as http, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';
import { createInterface } from 'node:readline';

/** A built service in its own process. */
export interface RunningService {
  /** `http://127.0.0.1:<port>`, `https` with TLS_CERT among the settings. */
  readonly url: string;
  /** Parsed log lines. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  readonly text: () => string;
  readonly process: ChildProcess;
  /** Ends the service. Resolves when the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface StartServiceOptions {
  /** Built entry of the service. */
  readonly main: string;
  /** Directory of the stores. */
  readonly home: string;
  /** Settings beside the home. Ports are free ones unless they are set. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a service over a home and waits until it is ready. */
export async function startService({ main, home, env = {} }: StartServiceOptions): Promise<RunningService> {
  const settings: Readonly<Record<string, string>> = {
    CAIRN_HOME: home,
    STORAGE_API_PORT: '0',
    RPC_GATEWAY_PORT: '0',
    CONSOLE_PORT: '0',
    IPFS_GATEWAY_PORT: '0',
    IPFS_PEER_API_PORT: '0',
    // One process starts faster. TEST_PROCESSES=2 runs a suite against several.
    CAIRN_PROCESSES: process.env.TEST_PROCESSES ?? '1',
    ...env,
  };
  const child = spawn(process.execPath, [main], {
    cwd: home,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const entry = JSON.parse(line) as Record<string, unknown>;
      log.push(entry);
      if (String(entry.msg).endsWith('listens')) resolve(Number(entry.port));
    });
    child.once('exit', () => reject(new Error(`${main} ended before it listened:\n${lines.join('\n')}`)));
  });
  const isTls = settings.TLS_CERT !== undefined;
  const url = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`;
  while (!(await isReady(`${url}/readyz`, isTls))) await new Promise((resolve) => setTimeout(resolve, 30));
  return {
    url,
    log,
    text: () => lines.join('\n'),
    process: child,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

/** Accepts any certificate, since tests make their own. */
function isReady(url: string, isTls: boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode === 200);
    };
    const sent = isTls ? https(url, { rejectUnauthorized: false }, answered) : http(url, answered);
    sent.once('error', reject);
    sent.end();
  });
}
