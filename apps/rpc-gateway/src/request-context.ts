import type { Principal } from '@cairn/auth';
import type { Chain } from './chains/chain.ts';
import type { RequestMeter } from './request-meter.ts';
import type { MessageSubscriptions } from './subscriptions/message-subscriptions.ts';

/** The request that a method serves. */
export interface RequestContext {
  readonly chain: Chain;
  readonly principal: Principal;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Subscriptions of the WebSocket connection; absent over HTTP. */
  readonly subscriptions?: MessageSubscriptions;
  /**
   * Runs a side effect once although its method may be repeated: repeated calls with the same name get the first promise.
   * Absent on imported networks, whose methods run once.
   */
  readonly once?: <T>(name: string, effect: () => Promise<T>) => Promise<T>;
  /** Limits and usage of the body that contains this request. */
  readonly meter: RequestMeter;
}

/**
 * Reads the abort signal of a request on demand: creating one costs as much as a light call, and only fetches, queued and long jobs
 * read it. A class, since V8 gives each object literal with a getter a hidden class of its own. Hidden classes live in the old
 * generation, and retain the request until a full collection (tools/bench/peers.mjs, rows eth_call).
 */
export class LazySignal {
  readonly #source: SignalSource;

  constructor(source: SignalSource) {
    this.#source = source;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }
}

interface SignalSource {
  readonly signal: AbortSignal;
}

/** A context with a {@link LazySignal}. */
export class LazyContext extends LazySignal implements RequestContext {
  readonly chain: Chain;
  readonly principal: Principal;
  readonly meter: RequestMeter;
  readonly subscriptions?: MessageSubscriptions;
  readonly once?: RequestContext['once'];

  constructor({ chain, principal, meter, subscriptions, once }: Omit<RequestContext, 'signal'>, source: SignalSource) {
    super(source);
    this.chain = chain;
    this.principal = principal;
    this.meter = meter;
    if (subscriptions !== undefined) this.subscriptions = subscriptions;
    if (once !== undefined) this.once = once;
  }
}
