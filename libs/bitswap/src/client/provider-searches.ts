import type { Provider } from '@cairn/block-exchange';
import type { BitswapLimits } from '../limits.ts';
import type { ProviderSearch } from '../ports.ts';
import type { Want } from './want.ts';

/** Searches providers of wants that no known peer serves. Bounded in number and time. */
export class ProviderSearches {
  readonly #search: ProviderSearch | undefined;
  readonly #limits: BitswapLimits;
  readonly #onProvider: (want: Want, provider: Provider) => void;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<Want, AbortController>();

  constructor(options: {
    readonly search: ProviderSearch | undefined;
    readonly limits: BitswapLimits;
    readonly onProvider: (want: Want, provider: Provider) => void;
    readonly onError: (error: unknown) => void;
  }) {
    this.#search = options.search;
    this.#limits = options.limits;
    this.#onProvider = options.onProvider;
    this.#onError = options.onError;
  }

  /** Starts a search for a want that waits for long enough. */
  consider(want: Want, now: number): void {
    const { searchMs, searchAgainMs, searchesMax } = this.#limits;
    if (this.#search === undefined || this.#running.size >= searchesMax || this.#running.has(want)) return;
    if (now - want.createdAt < searchMs || now - want.searchedAt < searchAgainMs) return;
    want.searchedAt = now;
    const abort = new AbortController();
    this.#running.set(want, abort);
    void this.#run(this.#search, want, abort);
  }

  /** Ends the search of a want. */
  end(want: Want): void {
    this.#running.get(want)?.abort();
    this.#running.delete(want);
  }

  async #run(search: ProviderSearch, want: Want, abort: AbortController): Promise<void> {
    const timer = setTimeout(() => abort.abort(), this.#limits.searchAgainMs);
    let found = 0;
    try {
      for await (const provider of search.findProviders(want.cid, { signal: abort.signal })) {
        if (abort.signal.aborted || found++ >= this.#limits.sessionPeersMax) break;
        this.#onProvider(want, provider);
      }
    } catch (error) {
      if (!abort.signal.aborted) this.#onError(error);
    } finally {
      clearTimeout(timer);
      this.#running.delete(want);
    }
  }
}
