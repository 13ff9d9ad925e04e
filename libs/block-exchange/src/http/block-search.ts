import type { CID } from '@cairn/cid';
import { linkAbort } from '../linked-abort.ts';
import type { GatewayHost } from './gateway-host.ts';
import type { HttpExchangeLimits } from './limits.ts';

/** Search of one block at several hosts, in rounds until one of them has it. */
export class BlockSearch {
  readonly #cid: CID;
  readonly #limits: HttpExchangeLimits;
  readonly #hosts = new Set<GatewayHost>();
  #wake: () => void = () => {};

  constructor(cid: CID, limits: HttpExchangeLimits) {
    this.#cid = cid;
    this.#limits = limits;
  }

  /** Adds hosts, also while the search runs. */
  add(hosts: readonly GatewayHost[]): void {
    const before = this.#hosts.size;
    for (const host of hosts) if (this.#hosts.size < this.#limits.hostsPerFetchMax) this.#hosts.add(host);
    if (this.#hosts.size > before) this.#wake();
  }

  /** Resolves with verified bytes. @throws the reason of the signal */
  async run(signal: AbortSignal): Promise<Uint8Array> {
    const { againMsMin, againMsMax } = this.#limits;
    for (let round = 0; ; round++) {
      const bytes = await this.#askAll(signal);
      if (bytes !== undefined) return bytes;
      await this.#rest(Math.min(againMsMax, againMsMin * 2 ** Math.min(round, 16)), signal);
    }
  }

  /** Asks each available host once. Slow ones are hedged by the next. */
  async #askAll(signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { abort, unlink, signal: ended } = linkAbort(signal);
    const asked = new Set<GatewayHost>();
    const running = new Set<Promise<Uint8Array | undefined>>();
    try {
      for (;;) {
        const next = this.#best(asked);
        const mayStart = next !== undefined && running.size < this.#limits.hedgesMax;
        if (mayStart) {
          asked.add(next);
          const answer: Promise<Uint8Array | undefined> = next.fetch(this.#cid, ended).finally(() => {
            running.delete(answer);
          });
          running.add(answer);
        }
        if (running.size === 0) return undefined;
        const hasMore = this.#best(asked) !== undefined && running.size < this.#limits.hedgesMax;
        const bytes = await this.#firstOf(running, hasMore ? next?.hedgeMs : undefined, signal);
        if (bytes !== undefined) return bytes;
      }
    } finally {
      unlink();
      abort(new Error('Another gateway has answered, or the fetch ended.'));
      for (const answer of running) answer.catch(() => {});
    }
  }

  #best(asked: ReadonlySet<GatewayHost>): GatewayHost | undefined {
    let best: GatewayHost | undefined;
    for (const host of this.#hosts)
      if (!asked.has(host) && host.waitMs === 0 && (best === undefined || host.rank < best.rank)) best = host;
    return best;
  }

  /** Resolves with the first answer; undefined also after the time, and when a host was added. */
  async #firstOf(
    running: ReadonlySet<Promise<Uint8Array | undefined>>,
    milliseconds: number | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const { promise, end } = this.#sleep(milliseconds, signal);
    try {
      return await Promise.race([...running, promise]);
    } finally {
      end();
    }
  }

  async #rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    const waits = [...this.#hosts].map(({ waitMs }) => waitMs).filter((waitMs) => waitMs > 0);
    // Hosts that back off all end this rest early, so that a short pause of theirs does not grow.
    const limit = waits.length === this.#hosts.size && waits.length > 0 ? Math.min(...waits) : milliseconds;
    const { promise, end } = this.#sleep(Math.max(limit, this.#limits.againMsMin), signal);
    try {
      await promise;
    } finally {
      end();
    }
  }

  /** Sleeps until the time, a further host, or the abort, which rejects. Without a time it has no limit. */
  #sleep(milliseconds: number | undefined, signal: AbortSignal): { promise: Promise<undefined>; end: () => void } {
    let timer: NodeJS.Timeout | undefined;
    let onAbort = () => {};
    const promise = new Promise<undefined>((resolve, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      if (milliseconds !== undefined) timer = setTimeout(() => resolve(undefined), Math.min(milliseconds, 2 ** 31 - 1));
      this.#wake = () => resolve(undefined);
    });
    promise.catch(() => {});
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#wake = () => {};
    };
    return { promise, end };
  }
}
