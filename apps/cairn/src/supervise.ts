import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';

/** A service to run as a process of its own. */
export interface Service {
  readonly name: string;
  /** Its built entry. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Answers 200 when the service can serve. */
  readonly readyUrl: string;
}

const readyWithinMs = 120_000;
const askEveryMs = 100;

/** Processes that live and end together. */
export class Supervisor {
  readonly #children = new Map<string, ChildProcess>();
  #ended: ((code: number) => void) | undefined;
  #isStopping = false;

  /** Starts a service and resolves when it is ready. @throws Error when it ends before that */
  async start({ name, main, env, nodeOptions = [], readyUrl }: Service): Promise<void> {
    // In a process group of its own, so that Ctrl-C reaches it once, through here; the channel tells it when this process
    // is gone, however that came about.
    const child = spawn(process.execPath, [...nodeOptions, main], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    this.#children.set(name, child);
    child.once('exit', (code, signal) => this.#onExit(name, code, signal));
    const deadline = performance.now() + readyWithinMs;
    while (!(await isReady(readyUrl))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} ended while starting; its message is above.`);
      if (performance.now() > deadline)
        throw new Error(`${name} was not ready within ${readyWithinMs / 1000} s; see ${readyUrl}.`);
      await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    }
  }

  /** Resolves with the exit code when all have ended: at a signal, or because one of them died. */
  async wait(): Promise<number> {
    return await new Promise((resolve) => {
      this.#ended = resolve;
      this.#check(0);
    });
  }

  /** Asks all to stop; a second call ends them at once. */
  stop(): void {
    const signal = this.#isStopping ? 'SIGKILL' : 'SIGTERM';
    this.#isStopping = true;
    for (const child of this.#children.values()) child.kill(signal);
  }

  #onExit(name: string, code: number | null, signal: NodeJS.Signals | null): void {
    this.#children.delete(name);
    const isClean = this.#isStopping && code === 0;
    if (!isClean && !this.#isStopping) {
      console.error(`${name} ended (${signal ?? `exit code ${code}`}); stopping the others.`);
      this.stop();
    } else if (!isClean) console.error(`${name} did not stop cleanly (${signal ?? `exit code ${code}`}).`);
    this.#check(isClean ? 0 : 1);
  }

  #exitCode = 0;
  #check(code: number): void {
    this.#exitCode = Math.max(this.#exitCode, code);
    if (this.#children.size === 0) this.#ended?.(this.#exitCode);
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    // The certificate of a service of one's own on this machine need not name this address.
    const sent = url.startsWith('https:') ? requestTls(url, { rejectUnauthorized: false }) : request(url);
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.once('error', () => resolve(false));
    sent.setTimeout(2000, () => sent.destroy());
    sent.end();
  });
}
