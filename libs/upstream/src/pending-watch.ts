import { AttemptFailure, answerInvalid, type FailureKind } from './errors.ts';
import type { UpstreamLimits } from './limits.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** Hashes that one upstream may report in a second. More are dropped, so that a node cannot occupy the event loop. */
const hashesPerSecondMax = 1_000;
/** Failures that another attempt would repeat. */
const refusals: ReadonlySet<FailureKind> = new Set(['refused', 'unsupported', 'wrong']);
/** Pause after an upstream refused the subscription, in milliseconds. */
const refusedMs = 600_000;

interface Feed {
  readonly upstream: Upstream;
  subscription: string | undefined;
  isAsking: boolean;
  /** Time before which the upstream is not asked, in milliseconds of the clock. */
  notBefore: number;
  /** Hashes since `secondStart`. */
  count: number;
  secondStart: number;
}

interface PendingWatchOptions {
  readonly limits: UpstreamLimits;
  readonly upstreams: readonly Upstream[];
  readonly now: () => number;
  attempt<T>(upstream: Upstream, call: UpstreamCall<T>, signal: AbortSignal): Promise<T>;
  isVerified(upstream: Upstream): boolean;
}

/** Follows `newPendingTransactions` of the upstreams with a WebSocket, while there are listeners. */
export class PendingWatch {
  readonly #options: PendingWatchOptions;
  readonly #feeds: readonly Feed[];
  readonly #listeners = new Set<(hash: string) => void>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PendingWatchOptions) {
    this.#options = options;
    this.#feeds = options.upstreams
      .filter(({ address }) => address.scheme === 'ws')
      .map((upstream) => ({
        upstream,
        subscription: undefined,
        isAsking: false,
        notBefore: Number.NEGATIVE_INFINITY,
        count: 0,
        secondStart: 0,
      }));
  }

  /** Calls the listener with each reported hash. Several upstreams report the same hash. */
  listen(listener: (hash: string) => void): () => void {
    this.#listeners.add(listener);
    if (this.#timer === undefined && this.#feeds.length > 0) {
      this.#timer = setInterval(() => this.#subscribe(), this.#options.limits.pollMs).unref();
      this.#subscribe();
    }
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#unsubscribe();
    };
  }

  /** Handles a notification of a WebSocket. */
  notified(upstream: Upstream, subscription: string, result: unknown): void {
    const feed = this.#feeds.find((one) => one.upstream === upstream);
    if (feed === undefined || feed.subscription !== subscription) return;
    if (typeof result !== 'string' || !/^0x[0-9a-f]{64}$/i.test(result) || !this.#mayCount(feed)) return;
    for (const listener of this.#listeners) listener(result.toLowerCase());
  }

  disconnected(upstream: Upstream): void {
    for (const feed of this.#feeds) if (feed.upstream === upstream) feed.subscription = undefined;
  }

  close(): void {
    this.#listeners.clear();
    clearInterval(this.#timer);
    this.#stop.abort(new Error('the pool is closed'));
  }

  #mayCount(feed: Feed): boolean {
    const now = this.#options.now();
    if (now - feed.secondStart >= 1_000) {
      feed.secondStart = now;
      feed.count = 0;
    }
    return ++feed.count <= hashesPerSecondMax;
  }

  #subscribe(): void {
    for (const feed of this.#feeds) void this.#ask(feed);
  }

  /** Never rejects: the attempts record their failures. */
  async #ask(feed: Feed): Promise<void> {
    const { upstream } = feed;
    const { attempt, isVerified, now } = this.#options;
    if (feed.subscription !== undefined || feed.isAsking || now() < feed.notBefore) return;
    if (upstream.isIsolated || !isVerified(upstream) || !upstream.capabilities.supports('eth_subscribe')) return;
    feed.isAsking = true;
    try {
      const call = { method: 'eth_subscribe', params: ['newPendingTransactions'], parse: parseSubscription };
      feed.subscription = await attempt(upstream, call, this.#stop.signal);
      if (this.#listeners.size === 0) this.#end(feed);
    } catch (error) {
      // A lost connection is no refusal: the next poll asks again.
      if (error instanceof AttemptFailure && refusals.has(error.kind)) feed.notBefore = now() + refusedMs;
    } finally {
      feed.isAsking = false;
    }
  }

  #unsubscribe(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const feed of this.#feeds) this.#end(feed);
  }

  #end(feed: Feed): void {
    const { subscription } = feed;
    feed.subscription = undefined;
    if (subscription === undefined) return;
    const call = { method: 'eth_unsubscribe', params: [subscription], parse: () => undefined };
    this.#options.attempt(feed.upstream, call, this.#stop.signal).catch(() => undefined);
  }
}

function parseSubscription(result: unknown): string {
  if (typeof result !== 'string' || result.length > 100) throw answerInvalid('eth_subscribe returned no id');
  return result;
}
