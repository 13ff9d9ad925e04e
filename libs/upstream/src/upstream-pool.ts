import { setMaxListeners } from 'node:events';
import { parseUpstreamUrl } from './address.ts';
import { Attempts } from './attempts.ts';
import { AttemptFailure, callEnded, UpstreamError } from './errors.ts';
import { HeadWatch } from './head-watch.ts';
import { currentLane, runOutsideLanes } from './lanes.ts';
import { type UpstreamLimits, upstreamLimits } from './limits.ts';
import { PendingWatch } from './pending-watch.ts';
import { askQuorum, type QuorumOptions } from './quorum.ts';
import { CallRun } from './run-call.ts';
import { SharedCalls } from './shared-calls.ts';
import { Upstream } from './upstream.ts';
import type {
  RequestOptions,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
  UpstreamHead,
  UpstreamState,
} from './upstream-call.ts';

/** Options of {@link createUpstreamPool}. */
export interface UpstreamPoolOptions {
  /** Upstreams with another chain id are isolated. */
  readonly chainId: bigint;
  /** URLs of http, https, ws or wss, in order of preference. May contain keys. */
  readonly upstreams: readonly (string | { readonly url: string; readonly requestsPerSecond?: number | undefined })[];
  readonly limits?: Partial<UpstreamLimits>;
  readonly onEvent?: (event: UpstreamEvent) => void;
  /** Milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
}

/**
 * Untrusted JSON-RPC nodes as one source. Each answer passes the `parse` callback of its call. An upstream that fails is
 * replaced by the next one within the deadline of the call; an upstream that returns a wrong answer is isolated.
 */
export class UpstreamPool {
  readonly #limits: UpstreamLimits;
  readonly #upstreams: readonly Upstream[];
  readonly #onEvent: (event: UpstreamEvent) => void;
  readonly #attempts: Attempts;
  readonly #shared = new SharedCalls();
  readonly #heads: HeadWatch;
  readonly #pending: PendingWatch;
  /** Aborts the running requests when the pool is closed. */
  readonly #running = new Set<AbortController>();
  #hedgeTokens = 1;
  /** Upstreams whose calls were hedged in this turn of the event loop. */
  readonly #hedgedNow = new Set<Upstream>();

  constructor(options: UpstreamPoolOptions) {
    this.#limits = { ...upstreamLimits, ...options.limits };
    this.#onEvent = options.onEvent ?? (() => {});
    const now = options.now ?? (() => performance.now());
    this.#attempts = new Attempts(this.#limits, now, this.#onEvent);
    const names = new Map<string, number>();
    this.#upstreams = options.upstreams.map((entry) => {
      const { url, requestsPerSecond } = typeof entry === 'string' ? { url: entry } : entry;
      const address = parseUpstreamUrl(url);
      // Two keys at one host are two upstreams: agreement and heads are counted by name.
      const count = (names.get(address.name) ?? 0) + 1;
      names.set(address.name, count);
      const name = count === 1 ? address.name : `${address.name}#${count}`;
      const upstream: Upstream = new Upstream(
        { ...address, name },
        {
          limits: this.#limits,
          ratePerSecond: requestsPerSecond ?? Number.POSITIVE_INFINITY,
          now,
          onNotification: (subscription, result) => {
            this.#heads.notified(upstream, subscription, result);
            this.#pending.notified(upstream, subscription, result);
          },
          onClose: () => {
            this.#heads.disconnected(upstream);
            this.#pending.disconnected(upstream);
          },
        },
      );
      return upstream;
    });
    this.#heads = new HeadWatch({
      chainId: options.chainId,
      limits: this.#limits,
      upstreams: this.#upstreams,
      attempt: (upstream, call, signal) => runOutsideLanes(() => this.#attempts.attempt(upstream, call, signal)),
    });
    this.#pending = new PendingWatch({
      limits: this.#limits,
      upstreams: this.#upstreams,
      now,
      attempt: (upstream, call, signal) => runOutsideLanes(() => this.#attempts.attempt(upstream, call, signal)),
      isVerified: (upstream) => this.#heads.isVerified(upstream),
    });
  }

  /**
   * Answers a call from the best upstream, with failover and hedging.
   * @throws UPSTREAMS_UNAVAILABLE, UPSTREAM_REFUSED, UPSTREAM_STATE_PRUNED, UPSTREAM_METHOD_UNSUPPORTED, or the reason of
   * the signal
   */
  async request<T>(call: UpstreamCall<T>, options: RequestOptions = {}): Promise<UpstreamAnswer<T>> {
    const { shareAs } = call;
    if (shareAs === undefined) return this.#request(call, options, options.signal);
    return this.#shared.run(shareAs, options.signal, (signal) => this.#request(call, options, signal));
  }

  /**
   * Answers a call by agreement: `quorum` upstreams must return values of equal text, or one a value that is proven by itself.
   * @throws UPSTREAMS_DISAGREE, UPSTREAMS_UNAVAILABLE
   */
  async requestQuorum<T>(
    call: UpstreamCall<T>,
    options: RequestOptions &
      QuorumOptions<T> & {
        /** Names of the only upstreams that count. Default: all. */
        readonly among?: readonly string[];
      },
  ): Promise<{ readonly value: T; readonly upstreams: readonly string[] }> {
    const { signal, clear } = this.#deadline(options, options.signal);
    currentLane()?.onCall?.();
    try {
      await this.#heads.ready(signal, options.quorum);
      const { among } = options;
      const usable = this.#upstreams.filter(
        (one) => !one.isIsolated && (among === undefined || among.includes(one.name)),
      );
      // Upstreams that fail come last: each of their attempts can take the whole time limit.
      usable.sort((one, other) => Number(!one.breaker.isClosed) - Number(!other.breaker.isClosed));
      return await askQuorum(usable, options, call.method, async (upstream) => {
        // Upstreams beyond the quorum may not be verified yet.
        await this.#heads.verify(upstream, signal);
        return this.#attempts.attempt(upstream, call, signal);
      });
    } finally {
      clear();
    }
  }

  /**
   * Sends a call to every upstream that is not isolated. Resolves with one outcome each. Never rejects.
   * `onOutcome` is called with each outcome as it arrives.
   */
  async broadcast<T>(
    call: UpstreamCall<T>,
    options: RequestOptions & { readonly onOutcome?: (outcome: BroadcastOutcome<T>) => void } = {},
  ): Promise<readonly BroadcastOutcome<T>[]> {
    const { signal, clear } = this.#deadline(options, options.signal);
    const upstreams = this.#upstreams.filter((one) => !one.isIsolated);
    const outcomeAt = async (upstream: Upstream): Promise<BroadcastOutcome<T>> => {
      try {
        return { upstream: upstream.name, value: await this.#attempts.attempt(upstream, call, signal) };
      } catch (error) {
        const failure = error instanceof AttemptFailure ? error : new AttemptFailure('failed', 'no answer in time');
        return { upstream: upstream.name, failure };
      }
    };
    const outcomes = upstreams.map(async (upstream) => {
      const outcome = await outcomeAt(upstream);
      options.onOutcome?.(outcome);
      return outcome;
    });
    try {
      return await Promise.all(outcomes);
    } finally {
      clear();
    }
  }

  /** Starts to watch heads. Heads are claims of single upstreams. Returns a function that removes the listener. */
  onHead(listener: (head: UpstreamHead) => void): () => void {
    return this.#heads.subscribe(listener);
  }

  /**
   * Follows the pending transactions of upstreams with a WebSocket, while there are listeners. Hashes are claims, and several
   * upstreams report the same one. Returns a function that removes the listener.
   */
  onPendingTransaction(listener: (hash: string) => void): () => void {
    return this.#pending.listen(listener);
  }

  states(): readonly UpstreamState[] {
    return this.#upstreams.map((upstream) => ({
      name: upstream.name,
      height: upstream.capabilities.height,
      breaker: upstream.breaker.state,
      isIsolated: upstream.isIsolated,
      isChainVerified: this.#heads.isVerified(upstream),
      p95Ms: upstream.latency.p95,
      inFlight: upstream.inFlight,
    }));
  }

  async close(): Promise<void> {
    this.#heads.close();
    this.#pending.close();
    for (const stop of this.#running) stop.abort(new UpstreamError('UPSTREAMS_UNAVAILABLE', 'The pool is closed.'));
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }

  async #request<T>(
    call: UpstreamCall<T>,
    options: RequestOptions,
    callerSignal: AbortSignal | undefined,
  ): Promise<UpstreamAnswer<T>> {
    const { signal, clear, isExpired } = this.#deadline(options, callerSignal);
    currentLane()?.onCall?.();
    this.#hedgeTokens = Math.min(10, this.#hedgeTokens + this.#limits.hedgeShare);
    const run = new CallRun(
      {
        limits: this.#limits,
        upstreams: this.#upstreams,
        isChainVerified: (upstream) => this.#heads.isVerified(upstream),
        unverified: () => this.#heads.unverified(),
        attempt: (upstream, one, stop) => this.#attempts.attempt(upstream, one, stop),
        mayHedge: (upstream) => this.#takeHedge(upstream),
      },
      call,
      signal,
    );
    try {
      await this.#heads.ready(signal);
      return await run.result();
    } catch (error) {
      throw isExpired() && error === signal.reason ? run.deadlineError() : error;
    } finally {
      clear();
    }
  }

  #takeHedge(upstream: Upstream): boolean {
    // Calls of one turn share a batch, and their hedges share another one.
    if (this.#hedgedNow.has(upstream)) return true;
    if (this.#hedgeTokens < 1) return false;
    this.#hedgeTokens -= 1;
    this.#hedgedNow.add(upstream);
    setImmediate(() => this.#hedgedNow.delete(upstream));
    this.#onEvent({ type: 'hedged', upstream: upstream.name });
    return true;
  }

  #deadline({ deadlineMs = this.#limits.deadlineMs }: RequestOptions, outer: AbortSignal | undefined) {
    const stop = new AbortController();
    let hasExpired = false;
    const timer = setTimeout(() => {
      hasExpired = true;
      stop.abort(new UpstreamError('UPSTREAMS_UNAVAILABLE', 'No upstream answered in time.'));
    }, deadlineMs);
    this.#running.add(stop);
    const abort = () => stop.abort(outer?.reason);
    // A signal may belong to thousands of concurrent calls, all of which remove their listeners.
    setMaxListeners(0, stop.signal);
    if (outer) setMaxListeners(0, outer);
    if (outer?.aborted) abort();
    outer?.addEventListener('abort', abort, { once: true });
    const clear = () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
      this.#running.delete(stop);
      stop.abort(callEnded);
    };
    return { signal: stop.signal, clear, isExpired: () => hasExpired };
  }
}

/** Outcome of a broadcast at one upstream. */
export type BroadcastOutcome<T> =
  | { readonly upstream: string; readonly value: T; readonly failure?: undefined }
  | { readonly upstream: string; readonly failure: AttemptFailure };

/** Opens a pool. Connections are made on first use. @throws UPSTREAM_CONFIG_INVALID */
export function createUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  if (options.upstreams.length === 0)
    throw new UpstreamError('UPSTREAM_CONFIG_INVALID', 'The list of upstreams is empty.', {
      hint: 'Add one URL or more.',
    });
  return new UpstreamPool(options);
}
