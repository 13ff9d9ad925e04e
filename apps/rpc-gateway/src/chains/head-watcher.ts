import type { Header, Hex } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';

/** Difference between two states of the canonical chain. */
export interface HeadChange {
  /** Blocks that the chain no longer contains, newest first. */
  readonly left: readonly Header[];
  /** Blocks that are new in the chain, oldest first. */
  readonly joined: readonly Header[];
}

export interface HeadWatcherOptions {
  /** Milliseconds between two polls. Default 100: blocks arrive every few seconds, and a poll reads one key. */
  readonly everyMs?: number;
  /** Called with errors of a poll. */
  readonly onError?: (error: unknown) => void;
}

/** Maximum number of blocks in one change, the newest ones. A client that missed more blocks requests them. */
const blocksMax = 1_024;

/** Calls listeners when the head of a chain changes, including changes by other processes. Polls only while there are listeners. */
export class HeadWatcher {
  readonly #store: Pick<ChainStore, 'head' | 'header'>;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(change: HeadChange) => void>();
  #polling: NodeJS.Timeout | undefined;
  #last: Hex | undefined;

  constructor(
    store: Pick<ChainStore, 'head' | 'header'>,
    { everyMs = 100, onError = () => undefined }: HeadWatcherOptions = {},
  ) {
    this.#store = store;
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** Calls the listener for each change, until the returned function is called. */
  listen(listener: (change: HeadChange) => void): () => void {
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
      if (hash === this.#last || this.#last === undefined) return;
      const change = changeBetween(this.#store, this.#last, hash);
      this.#last = hash;
      for (const listener of this.#listeners) listener(change);
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Computes the path between two heads through their last common ancestor. */
export function changeBetween(store: Pick<ChainStore, 'header'>, from: Hex, to: Hex): HeadChange {
  const left: Header[] = [];
  const joined: Header[] = [];
  let [old, young] = [store.header(from), store.header(to)];
  while (old !== undefined && young !== undefined && old.hash !== young.hash) {
    const [oldNumber, youngNumber] = [old.number, young.number];
    if (oldNumber >= youngNumber) {
      left.push(old);
      old = store.header(old.parentHash);
    }
    if (youngNumber >= oldNumber) {
      joined.push(young);
      young = store.header(young.parentHash);
    }
    if (left.length > blocksMax) break;
  }
  return { left, joined: joined.slice(0, blocksMax).reverse() };
}
