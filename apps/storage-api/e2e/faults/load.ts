import type { Random } from '../reference-model.ts';
import { noise, type Service } from '../service.ts';

/** State of a content for an account. `unknown`: the last change had no definite answer. */
type PinState = 'pinned' | 'unpinned' | 'unknown';

interface Content {
  readonly cid: string;
  readonly bytes: Uint8Array;
  readonly states: Map<string, PinState>;
}

/** Longest wait of one request, in milliseconds. A request that waits longer has an unknown outcome. */
const requestMs = 30_000;

/** Accounts that add, pin and unpin, and the state that their answers imply. */
export class Load {
  readonly accounts = ['ann', 'bob'] as const;
  readonly #service: Service;
  readonly #random: Random;
  readonly #contents: Content[] = [];
  readonly #workers: Promise<void>[] = [];
  /** Contents that a worker changes now. */
  readonly #busy = new Set<string>();
  #isRunning = false;
  #seed = 0;
  /** Requests with status 200. */
  acknowledged = 0;
  /** Requests by account: sent, and answered with 200 with the times of their answers. */
  readonly sent = new Map<string, number>();
  readonly answeredAt = new Map<string, number[]>();
  readonly failures = new Map<string, number>();

  constructor({ service, random }: { readonly service: Service; readonly random: Random }) {
    this.#service = service;
    this.#random = random;
  }

  start(workersPerAccount = 3): void {
    this.#isRunning = true;
    for (const account of this.accounts)
      for (let worker = 0; worker < workersPerAccount; worker++) this.#workers.push(this.#work(account));
  }

  /** Resolves when all requests have ended. @throws the first error of a worker */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#workers.splice(0));
  }

  /** Resolves when further requests are acknowledged. @throws Error if none is for a minute */
  async progress(count: number): Promise<void> {
    const target = this.acknowledged + count;
    for (let tries = 0; this.acknowledged < target; tries++) {
      if (tries === 3000) throw new Error(`no progress: ${JSON.stringify([...this.failures])}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Contents with a state for an account. */
  ofState(account: string, ...wanted: PinState[]): readonly Content[] {
    return this.#contents.filter(({ states }) => {
      const state = states.get(account);
      return state !== undefined && wanted.includes(state);
    });
  }

  async #work(account: string): Promise<void> {
    while (this.#isRunning) {
      const kind = this.#random.below(10);
      if (kind < 5) await this.#add(account);
      else if (kind < 7) await this.#change(account, 'pin/add');
      else if (kind < 9) await this.#change(account, 'pin/rm');
      else await this.#send(account, 'repo/gc');
    }
  }

  async #add(account: string): Promise<void> {
    const bytes = noise(1 + this.#random.below(20_000), ++this.#seed);
    const body = new FormData();
    body.set('file', new Blob([bytes]), 'file');
    const chunker = this.#random.below(2) === 0 ? 'size-4096' : 'size-262144';
    const answer = await this.#send(account, `add?cid-version=1&chunker=${chunker}`, body);
    if (!answer.isOk) return;
    const { Hash } = JSON.parse(answer.text) as { Hash: string };
    this.#contents.push({ cid: Hash, bytes, states: new Map([[account, 'pinned']]) });
  }

  /** Pins a content that any account holds, or removes a pin of this account. */
  async #change(account: string, command: 'pin/add' | 'pin/rm'): Promise<void> {
    const isAdd = command === 'pin/add';
    const candidates = isAdd
      ? this.#contents.filter(
          // A change without an answer may still take effect, also after a later one.
          ({ states }) => (states.get(account) ?? 'unpinned') === 'unpinned' && [...states.values()].includes('pinned'),
        )
      : this.ofState(account, 'pinned');
    const free = candidates.filter(({ cid }) => !this.#busy.has(cid));
    if (free.length === 0) return await this.#add(account);
    const content = this.#random.pick([...free]);
    const before = content.states.get(account);
    this.#busy.add(content.cid);
    content.states.set(account, 'unknown');
    const answer = await this.#send(account, `${command}?arg=${content.cid}`);
    this.#busy.delete(content.cid);
    if (answer.isOk) content.states.set(account, isAdd ? 'pinned' : 'unpinned');
    // 503 promises that nothing was done.
    else if (answer.status === 503 && before !== undefined) content.states.set(account, before);
    else if (isAdd && answer.text.includes('could not find'))
      throw new Error(`${content.cid} is pinned by another account and was not found: ${answer.text}`);
  }

  async #send(account: string, path: string, body?: FormData) {
    this.sent.set(account, (this.sent.get(account) ?? 0) + 1);
    try {
      const answer = await this.#service.post(path, {
        as: account,
        ...(body && { body }),
        signal: AbortSignal.timeout(requestMs),
      });
      const text = await answer.text();
      const isOk = answer.status === 200 && !text.includes('"Type":"error"');
      if (isOk) {
        this.acknowledged++;
        const times = this.answeredAt.get(account) ?? [];
        times.push(Date.now());
        this.answeredAt.set(account, times);
      } else await this.#failed(`${path.split('?')[0]} ${answer.status} ${text.slice(0, 120)}`);
      return { isOk, status: answer.status, text };
    } catch (error) {
      await this.#failed(error instanceof Error ? String(error.cause ?? error) : String(error));
      return { isOk: false, status: 0, text: '' };
    }
  }

  async #failed(reason: string): Promise<void> {
    this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    // Clients pause before a retry.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
