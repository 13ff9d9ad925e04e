import type { Principal } from '@cairn/auth';
import type { Chain } from '../chains/chain.ts';
import { Filters, type KeyFilters } from './filters.ts';

/** The filters of all chains and keys. They stay in memory and end with the process. */
export class FilterRegistry {
  readonly #byChain = new WeakMap<Chain, Filters>();

  /** The filters that a key has created on a chain. */
  of({ chain, principal }: { readonly chain: Chain; readonly principal: Principal }): KeyFilters {
    let filters = this.#byChain.get(chain);
    if (filters === undefined) {
      filters = new Filters(chain.reader);
      this.#byChain.set(chain, filters);
    }
    return filters.of(principal.key.reference);
  }
}
