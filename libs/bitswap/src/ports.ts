import type { Provider } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';
import type { PeerName } from './transport.ts';

/** Port to the local blocks. Answers are in the order of `cids`; undefined names an absent block. */
export interface BlockSource {
  /** Returns lengths in bytes with one store read. */
  sizes(cids: readonly CID[]): Promise<readonly (number | undefined)[]>;
  /** Returns blocks with one store read. */
  blocks(cids: readonly CID[]): Promise<readonly (Uint8Array | undefined)[]>;
}

/** Port that decides which blocks a peer may get. A refused block is answered like an absent one. */
export interface ServingPolicy {
  /** Returns one decision for each CID. */
  mayServe(cids: readonly CID[], peer: PeerName): readonly boolean[] | Promise<readonly boolean[]>;
}

/** Port that searches providers of a block, for example in a DHT. */
export interface ProviderSearch {
  findProviders(cid: CID, options: { readonly signal: AbortSignal }): AsyncIterable<Provider>;
}
