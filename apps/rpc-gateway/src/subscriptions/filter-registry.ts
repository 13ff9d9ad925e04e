import type { Principal } from '@cairn/auth';
import type { Chain } from '../chains/chain.ts';
import { PendingRegistry } from '../sending/pending-transactions.ts';
import { Filters, type KeyFilters } from './filters.ts';

/** The filters of all networks and keys. They stay in memory and end with the process. */
export class FilterRegistry {
  readonly #byNetwork = new WeakMap<Chain['network'], Filters>();
  readonly #pending: PendingRegistry;

  constructor(pending: PendingRegistry = new PendingRegistry()) {
    this.#pending = pending;
  }

  /** The filters that a key has created on a network. */
  of({ chain, principal }: { readonly chain: Chain; readonly principal: Principal }): KeyFilters {
    let filters = this.#byNetwork.get(chain.network);
    if (filters === undefined) {
      filters = new Filters(undefined, this.#pending.of(chain));
      this.#byNetwork.set(chain.network, filters);
    }
    return filters.of(principal.key.reference, chain);
  }
}
