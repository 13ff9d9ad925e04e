import type {
  BlockExchange,
  Delivery,
  ExchangeSession,
  FetchingBlockstore,
  FetchOptions,
  LanePermits,
  Provider,
} from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';

export interface RequestNetworkOptions {
  readonly exchange: BlockExchange;
  /** Store that fetches missing blocks. */
  readonly store: Pick<FetchingBlockstore, 'get' | 'has' | 'fetchSize'>;
  /** Permits of all requests. The lane is the account. */
  readonly permits: LanePermits;
  readonly account: string;
}

/** Blocks of one request that are fetched before they are read. Their bytes stay in the store, not in memory. */
const prefetchesMax = 48;
/** Blocks that wait to be prefetched. Further ones are fetched when they are read. */
const waitingMax = 256;

/** Reads of one request from other nodes. They share a session, which is opened at the first miss. */
export class RequestNetwork {
  readonly #options: RequestNetworkOptions;
  readonly #waiting: CID[] = [];
  #session: ExchangeSession | undefined;
  #providers: Provider[] = [];
  #prefetches = 0;
  #isClosed = false;

  constructor(options: RequestNetworkOptions) {
    this.#options = options;
  }

  async fetch(cid: CID, options: FetchOptions = {}): Promise<Uint8Array> {
    const { permits, account } = this.#options;
    return await permits.run(account, options.signal, async () => await this.#open().fetch(cid, options));
  }

  async fetchStored(cid: CID, options: FetchOptions = {}): Promise<Delivery> {
    const { permits, account } = this.#options;
    return await permits.run(account, options.signal, async () => {
      const session = this.#open();
      return session.fetchStored === undefined
        ? { bytes: await session.fetch(cid, options) }
        : await session.fetchStored(cid, options);
    });
  }

  /** Stores a missing block and returns its length, with the read options of a signal. @throws BLOCK_NOT_FOUND */
  fetchSize(cid: CID, signal: AbortSignal): Promise<number> {
    return this.#options.store.fetchSize(cid, { signal });
  }

  addProviders(providers: readonly Provider[]): void {
    this.#providers.push(...providers);
    this.#session?.addProviders(providers);
  }

  /** Fetches missing blocks into the store. A failure ends the prefetch; the read of the block reports it. */
  prefetch(cids: readonly CID[], signal: AbortSignal): void {
    const room = waitingMax - this.#waiting.length;
    this.#waiting.push(...cids.slice(0, Math.max(0, room)));
    while (this.#prefetches < prefetchesMax && this.#waiting.length > 0 && !this.#isClosed) {
      this.#prefetches++;
      void this.#runPrefetch(signal).finally(() => {
        this.#prefetches--;
      });
    }
  }

  async #runPrefetch(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    for (let cid = this.#waiting.shift(); cid !== undefined; cid = this.#waiting.shift()) {
      try {
        if (!(await store.has(cid))) await store.get(cid, { signal });
      } catch {
        this.#waiting.length = 0;
      }
    }
  }

  /** Ends the open fetches. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#session?.close();
  }

  #open(): ExchangeSession {
    this.#session ??= this.#options.exchange.openSession({ providers: this.#providers });
    if (this.#isClosed) this.#session.close();
    return this.#session;
  }
}
