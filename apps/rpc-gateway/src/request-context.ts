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
