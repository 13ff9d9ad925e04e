import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { PinStore } from './pin-store.ts';
import type { RootSource } from './root-source.ts';

export interface CollectorOptions {
  readonly pins: PinStore;
  /** A verified store. */
  readonly blocks: Blockstore;
  readonly collectable: Collectable;
  readonly sources?: readonly RootSource[];
  /** Grace period of unpinned blocks after the last put or touch, in seconds. Default 3,600. */
  readonly graceSeconds?: number;
}

export interface CollectOptions {
  readonly signal?: AbortSignal;
}

export interface StoreCollectOptions extends CollectOptions {
  /** Grace period of cached blocks; see `SweepOptions` of `@cairn/blockstore`. Default: that of all blocks. */
  readonly cacheGraceSeconds?: number | undefined;
  /** Further work under the lease after a collection. The signal aborts when the lease is lost. */
  readonly afterwards?: (signal: AbortSignal) => Promise<void>;
}

export interface AccountCollectOptions extends CollectOptions {
  /** Called with the blocks that each step removed. */
  readonly onRemoved?: (cids: readonly CID[]) => void;
  /** Removes leftovers of failed writes only, and no block of a successful write. Default false. */
  readonly leftoversOnly?: boolean;
}
