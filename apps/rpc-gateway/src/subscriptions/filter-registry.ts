import type { Principal } from '@cairn/auth';
import type { Chain } from '../chains/chain.ts';
import { PendingRegistry } from '../sending/pending-transactions.ts';
import type { FilterStore } from './filter-store.ts';
import { KeyFilters } from './filters.ts';
import { MemoryFilterStore } from './memory-filter-store.ts';

/** The filters of all networks and keys. */
export class FilterRegistry {
  readonly #pending: PendingRegistry;
  readonly #store: FilterStore;

  constructor(pending: PendingRegistry = new PendingRegistry(), store: FilterStore = new MemoryFilterStore()) {
    this.#pending = pending;
    this.#store = store;
  }

  /** Closes the store. Nest calls it. */
  async onApplicationShutdown(): Promise<void> {
    await this.#store.close();
  }

  /** The filters that a key has created on a network. */
  of({ chain, principal }: { readonly chain: Chain; readonly principal: Principal }): KeyFilters {
    const owner = { network: chain.network.name, key: principal.key.reference };
    return new KeyFilters({ chain, pending: this.#pending.of(chain), store: this.#store, owner });
  }
}
