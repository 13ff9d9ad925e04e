import type { Header, Hex } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';

/** What became of the canonical chain since the last look. */
export interface HeadChange {
  /** Blocks that are not on it any more, the newest first. */
  readonly left: readonly Header[];
  /** Blocks that are new on it, the oldest first. */
  readonly joined: readonly Header[];
}

export interface HeadWatcherOptions {
  /** Milliseconds between two looks. Default 100: blocks come every few seconds, and a look reads one key. */
  readonly everyMs?: number;
  /** Told of what a look threw. */
  readonly onError?: (error: unknown) => void;
}

/** Blocks of one change that are told at most, the newest: whoever was further behind asks for the rest. */
const blocksMax = 1_024;

/** Tells listeners when the head of a chain changes, whoever changes it; looks only while there are any. */
export class HeadWatcher {
  readonly #store: Pick<ChainStore, 'head' | 'header'>;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<(change: HeadChange) => void>();
  #looking: NodeJS.Timeout | undefined;
  #last: Hex | undefined;

  constructor(
    store: Pick<ChainStore, 'head' | 'header'>,
    { everyMs = 100, onError = () => undefined }: HeadWatcherOptions = {},
  ) {
    this.#store = store;
    this.#everyMs = everyMs;
    this.#onError = onError;
  }

  /** Calls back for every change from now on, until the function that is returned is called. */
  listen(listener: (change: HeadChange) => void): () => void {
    this.#listeners.add(listener);
    if (this.#looking === undefined) {
      this.#last = this.#store.head.hash;
      this.#looking = setInterval(() => this.#look(), this.#everyMs).unref();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
  }

  #look(): void {
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

/** The way from one block to another, over the last block that both stand on. */
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
