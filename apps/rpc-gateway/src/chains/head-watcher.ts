import type { Hex } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';

export interface HeadWatcherOptions {
  /** Milliseconds between two polls. Default 100: blocks arrive every few seconds, and a poll reads one key. */
  readonly everyMs?: number;
  /** Called with errors of a poll. */
  readonly onError?: (error: unknown) => void;
}

/** Calls listeners when the head of a chain changes, including changes by other processes. Polls only while there are listeners. */
export class HeadWatcher {
  readonly #store: Pick<ChainStore, 'head'>;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #polling: NodeJS.Timeout | undefined;
  #last: Hex | undefined;

  constructor(store: Pick<ChainStore, 'head'>, { everyMs = 100, onError = () => undefined }: HeadWatcherOptions = {}) {
    this.#store = store;
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** Calls the listener for each change, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#polling === undefined) {
      this.#last = this.#store.head.hash;
      this.#polling = setInterval(() => this.#poll(), this.#everyMs).unref();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#polling);
      this.#polling = undefined;
    };
  }

  #poll(): void {
    try {
      const { hash } = this.#store.head;
      if (hash === this.#last) return;
      this.#last = hash;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#onError(error);
    }
  }
}
