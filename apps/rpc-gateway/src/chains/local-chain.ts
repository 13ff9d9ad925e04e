import type { ChainStore, LocalNetwork } from '@cairn/chain-store';
import type { Chain } from './chain.ts';
import { HeadWatcher, type HeadWatcherOptions } from './head-watcher.ts';
import { type SourceHead, type SyncStatus, syncStatus } from './sync-status.ts';

/** A network whose blocks, state and logs are in a store of this machine. */
export class LocalChain implements Chain {
  readonly network: LocalNetwork;
  readonly store: ChainStore;
  readonly reader: ChainStore;
  readonly state: ChainStore;
  readonly logs: ChainStore;
  readonly heads: HeadWatcher;
  readonly upstreams = undefined;
  /** Head of the source at its last answer; `undefined` for a network without a source. */
  sourceHead: SourceHead | undefined;

  constructor(
    { network, store }: { readonly network: LocalNetwork; readonly store: ChainStore },
    options?: HeadWatcherOptions,
  ) {
    this.network = network;
    this.store = store;
    this.reader = store;
    this.state = store;
    this.logs = store;
    this.heads = new HeadWatcher(store, options);
  }

  get lagBlocks(): number | undefined {
    if (this.sourceHead === undefined) return undefined;
    return Math.max(0, Number(this.sourceHead.number - this.store.head.number));
  }

  read<T>(work: (chain: Chain) => T | Promise<T>): T | Promise<T> {
    return work(this);
  }

  syncStatus(): SyncStatus {
    return syncStatus(this.store.head.number, this.sourceHead);
  }
}
