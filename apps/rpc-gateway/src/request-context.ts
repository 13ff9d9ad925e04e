import type { Principal } from '@cairn/auth';
import type { Chain } from './chains/chain.ts';
import type { ChainRegistry } from './chains/chain-registry.ts';
import type { RequestMeter } from './request-meter.ts';
import type { Subscriptions } from './subscriptions/subscriptions.ts';

/** What every method knows of the request it serves. */
export interface RequestContext {
  readonly chain: Chain;
  readonly registry: ChainRegistry;
  readonly principal: Principal;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Of the connection; HTTP has none. */
  readonly subscriptions?: Subscriptions;
  /** Limits and usage of the body that this request came in. */
  readonly meter: RequestMeter;
}
