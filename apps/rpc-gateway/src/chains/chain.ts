import type { ChainStore, Network } from '@cairn/chain-store';

/** A network that is being served. */
export interface Chain {
  readonly network: Network;
  readonly store: ChainStore;
}
