import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { freePort } from '../../../tools/peers/free-port.mjs';

// Same entry as `npm start` of the package.
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The built service in its own process, over a home that outlives it. */
export class Service {
  readonly home = mkdtempSync(join(tmpdir(), 'cairn-storage-'));
  url = '';
  log = '';
  #child: ChildProcess | undefined;

  /** Creates two accounts with a card and one without. The secret of each key is `secret-of-<key>`. */
  async makeAccounts(): Promise<void> {
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(this.home, 'accounts') }) });
    for (const name of ['ann', 'bob', 'cardless']) {
      await auth.createAccount({ name, plan: 'local' });
      if (name !== 'cardless') await auth.attachCard(name, { brand: 'visa', last4: '4242' });
      await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
    }
    await auth.close();
  }

  #opened = 0;

  /**
   * Creates an account with a card and returns the value of its `authorization` header. Works while the service
   * runs.
   */
  async openAccount(): Promise<string> {
    const name = `opened${++this.#opened}`;
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(this.home, 'accounts') }) });
    try {
      await auth.createAccount({ name, plan: 'local' });
      await auth.attachCard(name, { brand: 'visa', last4: '4242' });
      await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
    } finally {
      await auth.close();
    }
    return basic(name);
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const settings = { CAIRN_HOME: this.home, STORAGE_API_PORT: String(port), ...env };
    const child = spawn(process.execPath, ['--max-semi-space-size=2', main], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    }
    while (
      !(await fetch(`${this.url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`the service ended: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /**
   * Peak of resident memory in MiB, without the mapped pages of program and store, which the system reclaims on
   * demand.
   */
  get memoryPeakMib(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    return (kilobytes('VmHWM') - kilobytes('RssFile')) / 1024;
  }

  /** Sends a signal. Resolves with the exit code when the process has exited. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill(signal);
    return await ended;
  }

  /** Resolves when the log contains a text. Log lines arrive a little after the responses. */
  async logged(text: string): Promise<void> {
    for (let tries = 0; !this.log.includes(text); tries++) {
      if (tries === 100) throw new Error(`the log has no ${JSON.stringify(text)}: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.home, { recursive: true });
  }

  /** Calls a command as an account. */
  async post(
    path: string,
    {
      as = 'ann',
      body,
      headers = {},
    }: { readonly as?: string; readonly body?: FormData | string; readonly headers?: Record<string, string> } = {},
  ) {
    return await fetch(`${this.url}/api/v0/${path}`, {
      method: 'POST',
      headers: { authorization: basic(as), ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /** Adds bytes and returns the lines of the response. */
  async add(
    bytes: Uint8Array | string,
    query = '',
    as = 'ann',
  ): Promise<{ Name: string; Hash: string; Size: string }[]> {
    const form = new FormData();
    form.set('file', new Blob([bytes]), 'file.bin');
    const answer = await this.post(`add${query}`, { as, body: form });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  /** Adds a text and reads it back. */
  async echo(text: string): Promise<string> {
    const [line] = await this.add(text);
    return await (await this.post(`cat?arg=${line?.Hash}`)).text();
  }
}

/** Basic credentials of an account of {@link Service.makeAccounts}. */
export function basic(key: string, secret = `secret-of-${key}`): string {
  return `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
}

/** Repeatable bytes. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  // Local, since names of the global scope are slow in Jest.
  const { imul } = Math;
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
