import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';

/** A service that runs as its own process. */
export interface Service {
  readonly name: string;
  /** Path of its built entry. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  /** Setting of its port. A restart keeps the port of the first start. */
  readonly portSetting: string;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Address that answers 200 when the service on this port is ready. */
  readonly readyUrl: (port: number) => string;
}

const readyWithinMs = 120_000;
const pollMs = 100;
/** Time after which a start that still waits prints its reason, and again for each new reason. */
const quietMs = 10_000;
/** Maximum length of the answer of /readyz. */
const answerCharactersMax = 65_536;
/** Time that a replaced process has to drain its requests before it is killed. */
const drainWithinMs = 30_000;
/** Pause before a restart: doubles with each consecutive failure, and resets after a minute of life. */
const backoff = { firstMs: 1_000, mostMs: 30_000, forgetAfterMs: 60_000 } as const;

/** One service process, restarted with backoff when it ends by itself. */
export class SupervisedProcess {
  readonly #service: Service;
  readonly #onStopped: (isClean: boolean) => void;
  #child: ChildProcess | undefined;
  #port: number | undefined;
  #isStopping = false;
  #isStarted = false;
  #isReplacing = false;
  #isListening = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(service: Service, { onStopped }: { readonly onStopped: (isClean: boolean) => void }) {
    this.#service = service;
    this.#onStopped = onStopped;
  }

  get name(): string {
    return this.#service.name;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts the process and resolves with its port when it is ready. @throws Error when it does not become ready */
  async start(): Promise<number> {
    const port = await this.#ready(this.#spawn());
    this.#isStarted = true;
    return port;
  }

  /**
   * Replaces the process by a new one on the same port and resolves when that is ready. Resolves with `false` when the process stops,
   * is replaced again, or has not started yet.
   * @throws Error when the new process is not ready
   */
  async restart(): Promise<boolean> {
    if (this.#isStopping || !this.#isStarted) return false;
    clearTimeout(this.#timer);
    this.#failures = 0;
    const ending = this.#child;
    if (ending === undefined) this.#spawn();
    else {
      this.#isReplacing = true;
      const killing = setTimeout(() => ending.kill('SIGKILL'), drainWithinMs);
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGTERM');
      await ended;
      clearTimeout(killing);
    }
    const child = this.#child;
    if (child === undefined) return false;
    try {
      await this.#ready(child);
    } catch (error) {
      if (!this.#isStopping) throw error;
    }
    return child === this.#child;
  }

  /** Ends the process permanently. */
  stop(signal: NodeJS.Signals): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.#child?.kill(signal);
  }

  /** Resolves with the port when a process is ready. @throws Error when it ends before, or takes too long */
  async #ready(child: ChildProcess): Promise<number> {
    const { name, readyUrl } = this.#service;
    const start = performance.now();
    let printed: string | undefined;
    for (;;) {
      // The port is known from the process's own message: another server may answer at the address.
      const state = this.#port === undefined ? {} : await readiness(readyUrl(this.#port));
      if (this.#port !== undefined && state === 'ready') return this.#port;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} ended while starting; its message is above.`);
      const reason = state === 'ready' ? undefined : state.reason;
      const waitedMs = performance.now() - start;
      if (waitedMs > readyWithinMs)
        throw new Error(
          `${name} was not ready within ${readyWithinMs / 1000} s${reason === undefined ? '' : `: ${reason}`}. Messages above show the cause.`,
        );
      if (waitedMs > quietMs && reason !== undefined && reason !== printed) {
        console.log(`${name} waits: ${reason}`);
        printed = reason;
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  #spawn(): ChildProcess {
    const { main, env, nodeOptions = [], portSetting } = this.#service;
    const port = this.#port === undefined ? {} : { [portSetting]: String(this.#port) };
    // Runs in its own process group, so that Ctrl-C reaches it once, through the supervisor. The closed channel ends it
    // with the supervisor, even after kill -9.
    const child = spawn(process.execPath, [...nodeOptions, main], {
      env: { ...process.env, ...env, ...port },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    this.#child = child;
    this.#isListening = false;
    const startedAt = performance.now();
    child.on('message', (message) => {
      if (!isListening(message)) return;
      this.#port = message.port;
      this.#isListening = true;
    });
    child.once('exit', (code, signal) => this.#onExit(code, signal, performance.now() - startedAt));
    return child;
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null, livedMs: number): void {
    this.#child = undefined;
    const { name } = this.#service;
    // LMDB maps data files: a page that is no longer in the file cannot be read.
    const how =
      signal === 'SIGBUS' ? 'SIGBUS: a data file was truncated or its disk failed' : (signal ?? `exit code ${code}`);
    // A process without a listener has no requests to drain: the signal ends it.
    const isClean = code === 0 || (signal === 'SIGTERM' && !this.#isListening);
    if (this.#isStopping && !isClean) console.error(`${name} did not stop cleanly (${how}).`);
    if (this.#isStopping || !this.#isStarted) {
      this.#onStopped(this.#isStopping && isClean);
      return;
    }
    if (this.#isReplacing) {
      this.#isReplacing = false;
      this.#spawn();
      return;
    }
    if (livedMs > backoff.forgetAfterMs) this.#failures = 0;
    const pauseMs = Math.min(backoff.mostMs, backoff.firstMs * 2 ** this.#failures++);
    console.error(`${name} ended (${how}); it starts again in ${pauseMs / 1000} s.`);
    this.#timer = setTimeout(() => this.#spawn(), pauseMs);
  }
}

/** Message that a service sends its supervisor when it listens. */
function isListening(message: unknown): message is { readonly kind: 'listening'; readonly port: number } {
  if (typeof message !== 'object' || message === null || !('kind' in message) || !('port' in message)) return false;
  return message.kind === 'listening' && typeof message.port === 'number';
}

/** Asks a service whether it is ready; the reason is missing if it does not answer. */
export function readiness(url: string): Promise<'ready' | { readonly reason?: string | undefined }> {
  return new Promise((resolve) => {
    // The certificate of the service need not contain this loopback address.
    const sent = url.startsWith('https:') ? requestTls(url, { rejectUnauthorized: false }) : request(url);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > answerCharactersMax) response.destroy();
      });
      response.once('close', () => resolve(response.statusCode === 200 ? 'ready' : { reason: reasonIn(text) }));
    });
    sent.once('error', () => resolve({}));
    sent.setTimeout(2000, () => sent.destroy());
    sent.end();
  });
}

/** The member `reason` of an answer of /readyz. */
function reasonIn(text: string): string | undefined {
  try {
    const { reason } = (JSON.parse(text) ?? {}) as { readonly reason?: unknown };
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return undefined;
  }
}
