import type { Principal } from '@cairn/auth';
import type { Chain } from '../chains/chain.ts';
import { Filters, type KeyFilters } from './filters.ts';

/** The filters of all networks and keys. They stay in memory and end with the process. */
export class FilterRegistry {
  readonly #byNetwork = new WeakMap<Chain['network'], Filters>();

  /** The filters that a key has created on a network. */
  of({ chain, principal }: { readonly chain: Chain; readonly principal: Principal }): KeyFilters {
    let filters = this.#byNetwork.get(chain.network);
    if (filters === undefined) {
      filters = new Filters();
      this.#byNetwork.set(chain.network, filters);
    }
    return filters.of(principal.key.reference, chain);
  }
}
