import type { Redis } from '@cairn/redis';
import { isCount } from './answers.ts';
import { registerScript } from './scripts.ts';

/** Lifetime of a registration, and the interval of its renewal, in milliseconds. */
const ttlMs = 10_000;
const renewMs = 500;
/** A larger count stays valid for this time: after a restart of Redis the processes register one after the other. */
const countMs = 15_000;

const registryKey = 'cairn:limits:{processes}';

/** Counts the processes that share limits. A process registers when it uses a limit for the first time. */
export class ProcessRegistry {
  readonly #redis: Redis;
  readonly #id: string;
  readonly #assumed: number;
  #counts: readonly { readonly count: number; readonly until: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(redis: Redis, { id, assumed }: { readonly id: string; readonly assumed: number }) {
    this.#redis = redis;
    this.#id = id;
    this.#assumed = Math.max(1, assumed);
  }

  /** Processes that share limits: the largest count of the last 15 seconds, or the last one. */
  get count(): number {
    return this.#counts.reduce((most, { count }) => Math.max(most, count), 0) || this.#assumed;
  }

  /** Registers the process, and renews its registration from then on. */
  use(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setInterval(() => void this.#register(), renewMs).unref();
    void this.#register();
  }

  /** Registers again after a connection, since the server may have lost its data. */
  connected(): void {
    if (this.#timer !== undefined) void this.#register();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (this.#timer !== undefined) await this.#send(0).catch(() => {});
  }

  async #register(): Promise<void> {
    const count = await this.#send(ttlMs).catch(() => undefined);
    if (count === undefined) return;
    const now = performance.now();
    this.#counts = [...this.#counts.filter(({ until }) => until > now), { count, until: now + countMs }];
  }

  #send(lifetimeMs: number): Promise<number> {
    return this.#redis.run({
      script: registerScript,
      keys: [registryKey],
      values: ['', this.#id, lifetimeMs],
      parse: (answer) => (isCount(answer) ? answer : undefined),
    });
  }
}
