import type { ChainSpec, Header, Hex, StateReader } from '@cairn/block-model';
import { openChainStore } from './chain-store.ts';

/** What a worker thread needs of a chain to execute calls on it. */
export interface StateSource {
  readonly spec: ChainSpec;
  /** Header of a block and the state after it; `undefined` for an unknown block. */
  at(hash: Hex): { readonly header: Header; readonly state: StateReader } | undefined;
  /** Hash at a height of the canonical chain, for BLOCKHASH. */
  hashByNumber(number: bigint): Hex | undefined;
}

/** Opens a chain for reading in a worker thread; the options are JSON. @throws what {@link openChainStore} throws */
export async function openStateSource({ directory }: { readonly directory: string }): Promise<StateSource> {
  const store = await openChainStore({ directory });
  const { spec } = store;
  if (spec === undefined) throw new Error(`the chain in ${directory} has no genesis yet`);
  return {
    spec,
    at(hash) {
      store.tables.environment.refresh();
      const header = store.header(hash);
      const state = store.stateAt(hash);
      return header && state && { header, state };
    },
    hashByNumber: (number) => store.hashByNumber(number),
  };
}
