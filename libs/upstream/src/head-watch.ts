import { AttemptFailure, answerInvalid } from './errors.ts';
import type { UpstreamLimits } from './limits.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamCall, UpstreamHead } from './upstream-call.ts';

interface Watched {
  readonly upstream: Upstream;
  isVerified: boolean;
  /** Called when the chain id is verified. */
  readonly waiting: Set<() => void>;
  subscription: string | undefined;
  heardAt: number;
  timer: NodeJS.Timeout | undefined;
  /** The running round. */
  round: Promise<void> | undefined;
}

interface HeadWatchOptions {
  readonly chainId: bigint;
  readonly limits: UpstreamLimits;
  readonly upstreams: readonly Upstream[];
  attempt<T>(upstream: Upstream, call: UpstreamCall<T>, signal: AbortSignal): Promise<T>;
}

/** Checks the chain id of each upstream, then follows its head: by `newHeads` over WebSocket, else by polls. */
export class HeadWatch {
  readonly #options: HeadWatchOptions;
  readonly #watched: readonly Watched[];
  readonly #listeners = new Set<(head: UpstreamHead) => void>();
  readonly #stop = new AbortController();
  #isStarted = false;

  constructor(options: HeadWatchOptions) {
    this.#options = options;
    this.#watched = options.upstreams.map((upstream) => ({
      upstream,
      isVerified: false,
      waiting: new Set(),
      subscription: undefined,
      heardAt: 0,
      timer: undefined,
      round: undefined,
    }));
  }

  isVerified(upstream: Upstream): boolean {
    return this.#of(upstream).isVerified;
  }

  /**
   * Resolves when so many upstreams have the expected chain id, or when a check of each has ended.
   * @throws the reason of the signal
   */
  async ready(signal: AbortSignal, count = 1): Promise<void> {
    this.#start();
    const usable = this.#watched.filter(({ upstream }) => !upstream.isIsolated);
    const missing = count - usable.filter(({ isVerified }) => isVerified).length;
    if (missing <= 0) return;
    const checks = this.#watched.filter(({ isVerified }) => !isVerified).map((watched) => this.#check(watched));
    let abort: (() => void) | undefined;
    try {
      await Promise.race([
        settled(checks, missing),
        new Promise<never>((_, reject) => {
          abort = () => reject(signal.reason);
          if (signal.aborted) abort();
          signal.addEventListener('abort', abort, { once: true });
        }),
      ]);
    } finally {
      if (abort) signal.removeEventListener('abort', abort);
    }
  }

  /** Upstreams whose chain id is not verified. `next` resolves when the check of one succeeds, or when all have failed. */
  unverified(): { readonly count: number; next(): Promise<void> } {
    const open = this.#watched.filter(({ isVerified, upstream }) => !isVerified && !upstream.isIsolated);
    const checks = () => Promise.any(open.map((watched) => this.#check(watched)));
    return { count: open.length, next: () => checks().catch(() => undefined) };
  }

  /**
   * Resolves when this upstream has the expected chain id.
   * @throws AttemptFailure when the check fails or the signal aborts first
   */
  async verify(upstream: Upstream, signal: AbortSignal): Promise<void> {
    this.#start();
    const watched = this.#of(upstream);
    if (watched.isVerified) return;
    let abort: (() => void) | undefined;
    const failure = new AttemptFailure('failed', 'the chain id is not verified');
    try {
      await new Promise<void>((resolve, reject) => {
        abort = () => reject(failure);
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort, { once: true });
        this.#check(watched).then(resolve, abort);
      });
    } finally {
      if (abort) signal.removeEventListener('abort', abort);
    }
  }

  subscribe(listener: (head: UpstreamHead) => void): () => void {
    this.#start();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Handles a notification of a WebSocket. */
  notified(upstream: Upstream, subscription: string, result: unknown): void {
    const watched = this.#of(upstream);
    if (watched.subscription !== subscription) return;
    try {
      this.#report(watched, parseHead(result));
    } catch {
      // A subscription that delivers no heads falls silent, and the poll takes over.
    }
  }

  disconnected(upstream: Upstream): void {
    this.#of(upstream).subscription = undefined;
  }

  close(): void {
    this.#stop.abort(new AttemptFailure('failed', 'the pool is closed'));
    for (const { timer } of this.#watched) clearTimeout(timer);
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const watched of this.#watched) void this.#step(watched);
  }

  /** Runs one round of one upstream. The next round follows after `pollMs`. */
  async #step(watched: Watched): Promise<void> {
    await this.#round(watched);
    if (this.#stop.signal.aborted) return;
    watched.timer = setTimeout(() => void this.#step(watched), this.#options.limits.pollMs);
    watched.timer.unref();
  }

  /** Chain id, subscription, poll. Never rejects: the attempts record their failures. */
  #round(watched: Watched): Promise<void> {
    const { upstream } = watched;
    if (upstream.isIsolated || !upstream.breaker.isClosed || upstream.rate.waitMs > 0) return Promise.resolve();
    watched.round ??= this.#look(watched)
      .catch(() => undefined)
      .finally(() => {
        watched.round = undefined;
      });
    return watched.round;
  }

  /** Resolves when the chain id is verified. Rejects when a round ended without that. */
  async #check(watched: Watched): Promise<void> {
    const verified = new Promise<void>((resolve) => watched.waiting.add(resolve));
    await Promise.race([verified, this.#round(watched)]);
    if (!watched.isVerified) throw new Error('the chain id is not verified');
  }

  async #look(watched: Watched): Promise<void> {
    const { upstream } = watched;
    const ask = <T>(call: UpstreamCall<T>) => this.#options.attempt(upstream, call, this.#stop.signal);
    if (!watched.isVerified) {
      await ask({ method: 'eth_chainId', params: [], parse: (result) => this.#checkChain(result) });
      watched.isVerified = true;
      for (const wake of watched.waiting) wake();
      watched.waiting.clear();
    }
    if (
      upstream.address.scheme === 'ws' &&
      watched.subscription === undefined &&
      upstream.capabilities.supports('eth_subscribe')
    ) {
      watched.subscription = await ask({
        method: 'eth_subscribe',
        params: ['newHeads'],
        parse: parseSubscription,
      }).catch(() => undefined);
      watched.heardAt = 0;
    }
    const isSilent = performance.now() - watched.heardAt > this.#options.limits.headSilenceMs || watched.heardAt === 0;
    if (watched.subscription === undefined || isSilent)
      this.#report(watched, await ask({ method: 'eth_getBlockByNumber', params: ['latest', false], parse: parseHead }));
  }

  #checkChain(result: unknown): void {
    const { chainId } = this.#options;
    if (typeof result !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(result))
      throw answerInvalid('eth_chainId is not a number');
    if (BigInt(result) !== chainId) throw answerInvalid(`the chain id is ${BigInt(result)}, expected ${chainId}`);
  }

  #report(watched: Watched, { number, hash, header }: Omit<UpstreamHead, 'upstream'>): void {
    watched.heardAt = performance.now();
    watched.upstream.capabilities.sawHeight(number);
    for (const listener of this.#listeners) listener({ upstream: watched.upstream.name, number, hash, header });
  }

  #of(upstream: Upstream): Watched {
    return this.#watched[this.#options.upstreams.indexOf(upstream)] as Watched;
  }
}

function parseSubscription(result: unknown): string {
  if (typeof result !== 'string' || result.length > 100) throw answerInvalid('eth_subscribe returned no id');
  return result;
}

/** Number and hash of a header. The header itself is verified by the caller. @throws UPSTREAM_ANSWER_INVALID */
function parseHead(result: unknown): Omit<UpstreamHead, 'upstream'> {
  const { number, hash } = (result ?? {}) as { readonly number?: unknown; readonly hash?: unknown };
  if (typeof number !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(number)) throw answerInvalid('the head has no number');
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw answerInvalid('the head has no hash');
  return { number: BigInt(number), hash: hash.toLowerCase(), header: result as Readonly<Record<string, unknown>> };
}

/** Resolves when `count` promises are fulfilled, or when all are settled. */
function settled(promises: readonly Promise<void>[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let fulfilled = 0;
    const each = promises.map((promise) =>
      promise.then(
        () => {
          fulfilled += 1;
          if (fulfilled >= count) resolve();
        },
        () => {},
      ),
    );
    void Promise.all(each).then(() => resolve());
  });
}
