import { randomBytes } from 'node:crypto';
import type { Hex } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';
import { RpcError } from '@cairn/jsonrpc-core';
import type { LogFilter } from '../methods/logs/log-filter.ts';
import { logsOf } from '../methods/logs/logs-of.ts';
import { changeBetween } from './head-watcher.ts';
import { isInRange } from './topic.ts';

/** The events that a filter reports. */
export type FilterTopic =
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pendingTransactions' };

/** One filter. It holds the place in the chain that it was last asked at, not the events since. */
export interface Filter {
  readonly topic: FilterTopic;
  seen: Hex;
  /** Milliseconds of the clock that was passed in. */
  until: number;
}

/** Filters of one key at most, and addresses and topics in all of them: they stay in memory. */
const filtersMax = 100;
const valuesMax = 10_000;
/** Time that a filter lives without being asked, as in geth. */
const idleMsMax = 5 * 60_000;
/** Logs of one answer at most. */
const logsMax = 10_000;

/** The part of a chain that filters read. */
export type FilterStore = Pick<ChainStore, 'head' | 'header' | 'receipts' | 'block'>;

/** The filters of one chain, apart for each key. */
export class Filters {
  readonly #store: FilterStore;
  readonly #now: () => number;
  readonly #byOwner = new Map<string, Map<string, Filter>>();

  constructor(store: FilterStore, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#now = now;
  }

  /** The filters of a key. @param owner its reference */
  of(owner: string): OwnFilters {
    return new OwnFilters(this.#store, this.#now, {
      read: () => this.#alive(owner),
      write: () => {
        for (const other of this.#byOwner.keys()) this.#alive(other);
        const filters = this.#byOwner.get(owner) ?? new Map<string, Filter>();
        this.#byOwner.set(owner, filters);
        return filters;
      },
    });
  }

  /** The filters of a key that have not ended. */
  #alive(owner: string): Map<string, Filter> {
    const filters = this.#byOwner.get(owner) ?? new Map<string, Filter>();
    const now = this.#now();
    for (const [id, { until }] of filters) if (until <= now) filters.delete(id);
    if (filters.size === 0) this.#byOwner.delete(owner);
    return filters;
  }
}

interface OwnTable {
  readonly read: () => Map<string, Filter>;
  /** As `read`, with a table that stays. */
  readonly write: () => Map<string, Filter>;
}

/** The filters of one key. */
export class OwnFilters {
  readonly #store: FilterStore;
  readonly #now: () => number;
  readonly #table: OwnTable;

  constructor(store: FilterStore, now: () => number, table: OwnTable) {
    this.#store = store;
    this.#now = now;
    this.#table = table;
  }

  /** @returns the id of the filter @throws RpcError -32005 when there are too many */
  add(topic: FilterTopic): string {
    const filters = this.#table.write();
    const values = [...filters.values()].reduce((sum, { topic: other }) => sum + valuesOf(other), valuesOf(topic));
    if (filters.size >= filtersMax || values > valuesMax)
      throw new RpcError(
        'limit',
        `A key may have ${filtersMax} filters with ${valuesMax} addresses and topics. End one with eth_uninstallFilter first.`,
        { limit: 'filters', filtersMax, valuesMax },
      );
    const id = `0x${randomBytes(16).toString('hex')}`;
    filters.set(id, { topic, seen: this.#store.head.hash, until: this.#now() + idleMsMax });
    return id;
  }

  find(id: string): Filter | undefined {
    return this.#table.read().get(id);
  }

  /** Whether there was such a filter. */
  remove(id: string): boolean {
    return this.#table.read().delete(id);
  }

  /** Events since the last time. @throws RpcError -32005 for more logs than one answer may hold */
  changes(filter: Filter): unknown[] {
    const { topic, seen } = filter;
    const { hash: head } = this.#store.head;
    const { left, joined } = changeBetween(this.#store, seen, head);
    const events: unknown[] = [];
    if (topic.kind === 'blocks') events.push(...joined.map(({ hash }) => hash));
    else if (topic.kind === 'logs') {
      for (const [headers, removed] of [[left, true] as const, [joined, false] as const])
        for (const header of headers.filter(({ number }) => isInRange(topic.filter, number)))
          for (const log of logsOf(topic.filter, this.#store, header)) {
            if (events.push({ ...log, removed }) > logsMax)
              throw new RpcError(
                'limit',
                `The filter has more than ${logsMax} new logs. Ask eth_getLogs for them in parts.`,
                {
                  logsMax,
                },
              );
          }
    }
    filter.seen = head;
    filter.until = this.#now() + idleMsMax;
    return events;
  }
}

function valuesOf(topic: FilterTopic): number {
  if (topic.kind !== 'logs') return 0;
  const { addresses, topics } = topic.filter;
  return topics.reduce((sum, { length }) => sum + length, addresses.length);
}
