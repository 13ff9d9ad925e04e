import { randomUUID } from 'node:crypto';
import { RpcError } from '@cairn/jsonrpc-core';
import type { Chain } from '../chains/chain.ts';
import { type PendingTransactions, pendingEvents } from '../sending/pending-transactions.ts';
import { ChainEvents } from './chain-events.ts';
import { type FilterTopic, newEvents } from './filter-events.ts';
import {
  type FilterOwner,
  type FilterStore,
  filterLimits,
  type PendingPlace,
  type StoredFilter,
} from './filter-store.ts';
import { newSubscriptionId } from './subscription-id.ts';

/** Attempts of a poll while others advance the same filter. */
const attemptsMax = 16;
/** Name of this process in filters for pending transactions, whose positions differ between processes. */
const processName = randomUUID();

export interface KeyFiltersOptions {
  readonly chain: Pick<Chain, 'read'>;
  readonly pending: PendingTransactions;
  readonly store: FilterStore;
  readonly owner: FilterOwner;
}

/** The filters of one key on one network. */
export class KeyFilters {
  readonly #chain: Pick<Chain, 'read'>;
  readonly #pending: PendingTransactions;
  readonly #store: FilterStore;
  readonly #owner: FilterOwner;

  constructor({ chain, pending, store, owner }: KeyFiltersOptions) {
    this.#chain = chain;
    this.#pending = pending;
    this.#store = store;
    this.#owner = owner;
  }

  /** @returns the id of the new filter @throws RpcError -32005 above the limits of a key */
  async add(topic: FilterTopic): Promise<string> {
    const seen = await new ChainEvents(this.#chain).head();
    const pending = topic.kind === 'pendingTransactions' ? this.#pendingPlace(topic.isFull) : undefined;
    const id = newSubscriptionId();
    if (await this.#store.add(this.#owner, id, { topic, place: { seen, pending } })) return id;
    const { filtersMax, valuesMax } = filterLimits;
    throw new RpcError(
      'limit',
      `A key may have ${filtersMax} filters with ${valuesMax} addresses and topics. End one with eth_uninstallFilter first.`,
      { limit: 'filters', filtersMax, valuesMax },
    );
  }

  /** Returns the topic of a filter. */
  async find(id: string): Promise<FilterTopic | undefined> {
    return (await this.#store.find(this.#owner, id))?.topic;
  }

  /** Removes a filter. Returns false if there is no such filter. */
  remove(id: string): Promise<boolean> {
    return this.#store.remove(this.#owner, id);
  }

  /**
   * Events since the last poll; `undefined` without such a filter. The filter advances only when all of them are read, so a failed
   * poll loses none. A poll that another one has overtaken reads again, so that concurrent polls return different events. A long
   * way to the head takes several polls.
   * @throws RpcError if the last block of the filter is no longer known; the errors of reads
   */
  async changes(id: string, signal?: AbortSignal): Promise<readonly unknown[] | undefined> {
    for (let attempts = 0; attempts < attemptsMax; attempts++) {
      const filter = await this.#store.find(this.#owner, id, { isPoll: true });
      if (filter === undefined) return undefined;
      const { events, place } = await this.#read(id, filter, signal);
      if (place === undefined) return events;
      if (await this.#store.advance(this.#owner, id, filter.version, place)) return events;
      signal?.throwIfAborted();
    }
    throw new RpcError('limit', 'Too many requests poll this filter concurrently. Send one at a time.');
  }

  /** Reads the events of a filter, and its place after them; no place if it stays. */
  async #read(id: string, { topic, place: { seen, pending } }: StoredFilter, signal: AbortSignal | undefined) {
    if (topic.kind === 'pendingTransactions') return this.#pendingChanges(topic.isFull, { seen, pending });
    const chain = new ChainEvents(this.#chain);
    const result = await newEvents(chain, { topic, seen }, signal);
    if (result !== undefined) {
      const hasMoved = result.seen.hash !== seen.hash || result.events.length > 0;
      return { events: result.events, place: hasMoved ? { seen: result.seen } : undefined };
    }
    // Another process is ahead: its blocks arrive here later.
    if (this.#store.isShared && (await chain.head()).number < seen.number) return { events: [], place: undefined };
    if (!this.#store.isShared) await this.remove(id);
    throw new RpcError(
      'server',
      `filter not found. Its last block ${seen.number} is no longer known; create a new filter.`,
    );
  }

  /**
   * Pending transactions since the last poll; of more than 4,096, the newest. After a poll at another process, those that this
   * process has seen since then.
   */
  #pendingChanges(isFull: boolean, { seen, pending }: StoredFilter['place']) {
    const source = pendingEvents(this.#pending, isFull);
    const isOwn = pending?.process === processName;
    const from = pending === undefined ? source.position : isOwn ? pending.position : source.positionAt(pending.at);
    return { events: source.since(from), place: { seen, pending: this.#pendingPlace(isFull) } };
  }

  #pendingPlace(isFull: boolean): PendingPlace {
    const position = pendingEvents(this.#pending, isFull).poll();
    return { process: processName, position, at: Date.now() };
  }
}
