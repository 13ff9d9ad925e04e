import type { Principal } from '@cairn/auth';
import type { Chain } from './chains/chain.ts';
import type { ChainRegistry } from './chains/chain-registry.ts';
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
  /** Names of the methods called, for the log. */
  readonly called: string[];
}
