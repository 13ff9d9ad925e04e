import { RpcError } from '@cairn/jsonrpc-core';
import type { Chain } from '../chains/chain.ts';
import { NetworkPending, type PendingTransactions, pendingEvents } from '../sending/pending-transactions.ts';
import { ChainEvents } from './chain-events.ts';
import type { ChainPosition } from './chain-path.ts';
import { type FilterTopic, newEvents } from './filter-events.ts';
import { newSubscriptionId } from './subscription-id.ts';

/** One filter. It stores its last position in the chain rather than the events since. */
export interface Filter {
  readonly id: string;
  readonly topic: FilterTopic;
  seen: ChainPosition;
  /** Position in the pending transactions. */
  pendingPosition: number;
  /** Expiry, in milliseconds of the injected clock. */
  expiresAt: number;
  /** End of the poll that runs, so that concurrent polls return different events. */
  polling: Promise<unknown>;
}

/** Most filters of one key, and most addresses and topics in all of them: they stay in memory. */
const filtersMax = 100;
const valuesMax = 10_000;
/** A filter expires after this time without a poll, as in geth. */
const idleMsMax = 5 * 60_000;

/** The filters of one network, separate for each key. */
export class Filters {
  readonly #now: () => number;
  readonly #pending: PendingTransactions;
  readonly #byOwner = new Map<string, Map<string, Filter>>();

  constructor(
    now: () => number = () => performance.now(),
    pending: PendingTransactions = new NetworkPending(undefined),
  ) {
    this.#now = now;
    this.#pending = pending;
  }

  /** The filters of a key. @param owner reference of the key */
  of(owner: string, chain: Pick<Chain, 'read'>): KeyFilters {
    return new KeyFilters({ chain, pending: this.#pending }, this.#now, {
      read: () => this.#unexpired(owner),
      write: () => {
        for (const other of this.#byOwner.keys()) this.#unexpired(other);
        const filters = this.#byOwner.get(owner) ?? new Map<string, Filter>();
        this.#byOwner.set(owner, filters);
        return filters;
      },
    });
  }

  /** Removes the expired filters of a key and returns the others. */
  #unexpired(owner: string): Map<string, Filter> {
    const filters = this.#byOwner.get(owner) ?? new Map<string, Filter>();
    const now = this.#now();
    for (const [id, { expiresAt }] of filters) if (expiresAt <= now) filters.delete(id);
    if (filters.size === 0) this.#byOwner.delete(owner);
    return filters;
  }
}

interface FilterSources {
  readonly chain: Pick<Chain, 'read'>;
  readonly pending: PendingTransactions;
}

interface FilterTable {
  readonly read: () => Map<string, Filter>;
  /** Like `read`, for additions: the returned table is stored. */
  readonly write: () => Map<string, Filter>;
}

/** The filters of one key. */
export class KeyFilters {
  readonly #chain: Pick<Chain, 'read'>;
  readonly #pending: PendingTransactions;
  readonly #now: () => number;
  readonly #table: FilterTable;

  constructor({ chain, pending }: FilterSources, now: () => number, table: FilterTable) {
    this.#chain = chain;
    this.#pending = pending;
    this.#now = now;
    this.#table = table;
  }

  /** @returns the id of the new filter @throws RpcError -32005 above the limits of a key */
  async add(topic: FilterTopic): Promise<string> {
    const seen = await new ChainEvents(this.#chain).head();
    const filters = this.#table.write();
    const values = [...filters.values()].reduce((sum, { topic: other }) => sum + valuesOf(other), valuesOf(topic));
    if (filters.size >= filtersMax || values > valuesMax)
      throw new RpcError(
        'limit',
        `A key may have ${filtersMax} filters with ${valuesMax} addresses and topics. End one with eth_uninstallFilter first.`,
        { limit: 'filters', filtersMax, valuesMax },
      );
    const id = newSubscriptionId();
    const pendingPosition =
      topic.kind === 'pendingTransactions' ? pendingEvents(this.#pending, topic.isFull).poll() : 0;
    const expiresAt = this.#now() + idleMsMax;
    filters.set(id, { id, topic, seen, pendingPosition, expiresAt, polling: Promise.resolve() });
    return id;
  }

  find(id: string): Filter | undefined {
    return this.#table.read().get(id);
  }

  /** Removes a filter. Returns false if there is no such filter. */
  remove(id: string): boolean {
    return this.#table.read().delete(id);
  }

  /**
   * Events since the last poll. The filter advances only when all of them are read, so a failed poll loses none. A long way to the
   * head takes several polls.
   * @throws RpcError if the last block of the filter is no longer known; the errors of reads
   */
  async changes(filter: Filter, signal?: AbortSignal): Promise<readonly unknown[]> {
    filter.expiresAt = this.#now() + idleMsMax;
    const { topic } = filter;
    if (topic.kind === 'pendingTransactions') return this.#pendingChanges(filter, topic.isFull);
    const earlier = filter.polling;
    let end = () => {};
    filter.polling = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      await earlier;
      signal?.throwIfAborted();
      const result = await newEvents(new ChainEvents(this.#chain), { topic, seen: filter.seen }, signal);
      if (result === undefined) {
        this.remove(filter.id);
        throw new RpcError(
          'server',
          `filter not found. Its last block ${filter.seen.number} is no longer known; create a new filter.`,
        );
      }
      filter.seen = result.seen;
      return result.events;
    } finally {
      end();
    }
  }

  /** Pending transactions since the last poll; of more than 4,096, the newest. */
  #pendingChanges(filter: Filter, isFull: boolean): readonly unknown[] {
    const source = pendingEvents(this.#pending, isFull);
    const events = source.since(filter.pendingPosition);
    filter.pendingPosition = source.poll();
    return events;
  }
}

function valuesOf(topic: FilterTopic): number {
  if (topic.kind !== 'logs') return 0;
  const { addresses, topics } = topic.filter;
  return topics.reduce((sum, { length }) => sum + length, addresses.length);
}
