import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../tools/peers/free-port.mjs';

const memorySampleMs = 50;
// Same entry as `npm start` of the package.
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** One process of the built service. */
export class ServiceProcess {
  readonly home: string;
  port = 0;
  readonly #onLog: (text: string) => void;
  #child: ChildProcess | undefined;
  #log = '';
  #memoryPeakKib = 0;

  constructor({ home, onLog }: { readonly home: string; readonly onLog: (text: string) => void }) {
    this.home = home;
    this.#onLog = onLog;
  }

  /** Starts the process on a free port. Resolves when it is ready. */
  async start(env: Readonly<Record<string, string>>): Promise<void> {
    mkdirSync(this.home, { recursive: true });
    this.port = await freePort();
    this.#log = '';
    const settings = {
      CAIRN_HOME: this.home,
      STORAGE_API_PORT: String(this.port),
      // One process starts faster. TEST_PROCESSES=2 runs a suite against several.
      CAIRN_PROCESSES: process.env.TEST_PROCESSES ?? '1',
      ...env,
    };
    const child = spawn(
      process.execPath,
      ['--max-semi-space-size=2', '--heap-growing-percent=150', '--no-flush-bytecode', main],
      {
        env: { ...process.env, ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#child = child;
    this.#memoryPeakKib = 0;
    const sampling = setInterval(() => this.#sampleMemory(), memorySampleMs);
    child.once('exit', () => clearInterval(sampling));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
        this.#onLog(text);
      });
    }
    await this.ready();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when the process is ready. @throws Error with its log when it has ended */
  async ready(): Promise<void> {
    while (
      !(await fetch(`${this.url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    ) {
      if (!this.isRunning) throw new Error(`the service ended: ${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Metrics of the process. It was started with `STORAGE_API_ADMIN_PORT: '0'`. */
  async metrics(): Promise<string> {
    const adminPort = /"adminPort":(\d+)/.exec(this.#log)?.[1];
    if (adminPort === undefined) throw new Error(`the log names no adminPort: ${this.#log}`);
    return await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /**
   * Peak of resident memory in MiB since the start, without the mapped pages of program and store, which the system reclaims on
   * demand. The kernel records only a peak that includes them, so the memory is sampled.
   */
  get memoryPeakMib(): number {
    this.#sampleMemory();
    return this.#memoryPeakKib / 1024;
  }

  #sampleMemory(): void {
    if (!this.isRunning) return;
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const kibibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
    this.#memoryPeakKib = Math.max(this.#memoryPeakKib, kibibytes('RssAnon') + kibibytes('RssShmem'));
  }

  /** Sends a signal. Resolves with the exit code when the process has exited. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || !this.isRunning) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill(signal);
    return await ended;
  }
}
