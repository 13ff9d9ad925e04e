import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth } from '@cairn/auth';
import { openStores, type Stores } from '@cairn/stores';
import { afterAll } from '@jest/globals';
import { type Engines, startEngines } from './engines.ts';
import { Relay } from './relay.ts';
import { ServiceProcess } from './service-process.ts';

/** `TEST_FORM=distributed` runs suites against three processes without a common directory, behind a balancer. */
const isDistributed = process.env.TEST_FORM === 'distributed';
const processesOfDistributed = 3;

/** Engines of all services of a test file. */
let engines: Promise<Engines> | undefined;
const sharedEngines = () => {
  engines ??= startEngines();
  return engines;
};
if (isDistributed)
  afterAll(async () => {
    await (await engines)?.stop();
  });

/** The built service over state that outlives it: one process over a home, or three processes on engines. */
export class Service {
  readonly home = mkdtempSync(join(tmpdir(), 'cairn-storage-'));
  readonly isDistributed: boolean;
  url = '';
  log = '';
  readonly processes: readonly ServiceProcess[];
  readonly #engines: () => Promise<Engines>;
  #deployment: Promise<Readonly<Record<string, string>>> | undefined;
  #balancer: Relay | undefined;

  /** @param options.engines runs the distributed form on these engines */
  constructor({ engines: own }: { readonly engines?: Engines } = {}) {
    this.isDistributed = isDistributed || own !== undefined;
    this.#engines = own === undefined ? sharedEngines : async () => own;
    const onLog = (text: string) => {
      this.log += text;
    };
    // Each process of the distributed form has a home of its own.
    const homes = this.isDistributed
      ? Array.from({ length: processesOfDistributed }, (_, n) => join(this.home, String(n)))
      : [this.home];
    this.processes = homes.map((home) => new ServiceProcess({ home, onLog }));
  }

  /** Stores of the service, for reads and changes beside it. The caller closes each store that it opens. */
  async stores(): Promise<Stores> {
    return openStores({ CAIRN_HOME: this.home, ...(await this.settings()) });
  }

  /** Settings of the engines; none in the embedded form. */
  async settings(): Promise<Readonly<Record<string, string>>> {
    if (!this.isDistributed) return {};
    this.#deployment ??= this.#engines().then((started) => started.newDeployment());
    return await this.#deployment;
  }

  /** Creates two accounts with a card and one without. The secret of each key is `secret-of-<key>`. */
  async makeAccounts(): Promise<void> {
    const auth = await this.#auth();
    for (const name of ['ann', 'bob', 'cardless']) {
      await auth.createAccount({ name, plan: 'local' });
      if (name !== 'cardless') await auth.attachCard(name, { brand: 'visa', last4: '4242' });
      await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
    }
    await auth.close();
  }

  async #auth(): Promise<Auth> {
    return new Auth({ store: await (await this.stores()).accounts() });
  }

  #opened = 0;

  /**
   * Creates an account with a card and returns the value of its `authorization` header. Works while the service
   * runs.
   */
  async openAccount(): Promise<string> {
    const name = `opened${++this.#opened}`;
    const auth = await this.#auth();
    try {
      await auth.createAccount({ name, plan: 'local' });
      await auth.attachCard(name, { brand: 'visa', last4: '4242' });
      await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
    } finally {
      await auth.close();
    }
    return basic(name);
  }

  /** Resolves with the ID of an account. */
  async accountId(name: string): Promise<string> {
    const auth = await this.#auth();
    try {
      return (await auth.account(name)).id;
    } finally {
      await auth.close();
    }
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const settings = { ...(await this.settings()), ...env };
    await Promise.all(this.processes.map((each) => each.start(settings)));
    const ports = this.processes.map(({ port }) => port);
    if (this.isDistributed) this.#balancer ??= await Relay.start();
    if (this.#balancer) this.#balancer.targets = ports;
    this.url = `http://127.0.0.1:${this.#balancer?.port ?? ports[0]}`;
  }

  /** Restarts one process of several. The balancer sends new connections to it again. */
  async restart(one: ServiceProcess, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await one.start({ ...(await this.settings()), ...env });
    if (this.#balancer) this.#balancer.targets = this.processes.map(({ port }) => port);
  }

  get pid(): number {
    return this.processes[0]?.pid ?? 0;
  }

  /** Largest peak of the memory of a process, in MiB. */
  get memoryPeakMib(): number {
    return Math.max(...this.processes.map(({ memoryPeakMib }) => memoryPeakMib));
  }

  /** Sends a signal to all processes. Resolves with the largest exit code when they have exited. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const codes = await Promise.all(this.processes.map((each) => each.stop(signal)));
    return codes.includes(null) ? null : Math.max(...codes.map(Number));
  }

  /**
   * Runs a check of what follows a removal. In the distributed form it is repeated until it passes: the caches of other
   * processes keep a block for a moment, and the holds of a killed process last for a minute.
   */
  async eventually(check: () => Promise<void>): Promise<void> {
    const triesMax = this.isDistributed ? 1800 : 1;
    for (let tries = 1; ; tries++) {
      try {
        return await check();
      } catch (error) {
        if (tries === triesMax) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Resolves when the log contains a text. Log lines arrive a little after the responses. */
  async logged(text: string): Promise<void> {
    for (let tries = 0; !this.log.includes(text); tries++) {
      if (tries === 100) throw new Error(`the log has no ${JSON.stringify(text)}: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Successful requests of a command in the metrics of all processes. */
  async requestsOf(command: string): Promise<number> {
    const pattern = new RegExp(
      `^cairn_requests_total\\{[^}]*operation="${command}"[^}]*outcome="ok"[^}]*\\} (\\d+)`,
      'm',
    );
    const texts = await Promise.all(this.processes.map((each) => each.metrics()));
    return texts.reduce((sum, text) => sum + Number(pattern.exec(text)?.[1] ?? 0), 0);
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    await this.#balancer?.stop();
    rmSync(this.home, { recursive: true });
  }

  /**
   * Headers of requests of an account. In the distributed form each request has a connection of its own, so that the
   * next process answers the next request.
   */
  headers(as = 'ann'): Record<string, string> {
    return { authorization: basic(as), ...(this.isDistributed && { connection: 'close' }) };
  }

  /** Calls a command as an account. */
  async post(
    path: string,
    {
      as = 'ann',
      body,
      headers = {},
      signal,
    }: {
      readonly as?: string;
      readonly body?: FormData | string;
      readonly headers?: Record<string, string>;
      readonly signal?: AbortSignal;
    } = {},
  ) {
    return await fetch(`${this.url}/api/v0/${path}`, {
      method: 'POST',
      headers: { ...this.headers(as), ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
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
