import { randomBytes } from 'node:crypto';
import type { Hex } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { BlockReader } from '../chains/chain.ts';
import { changeBetween } from '../chains/head-watcher.ts';
import type { LogFilter } from '../methods/logs/log-filter.ts';
import { logsOf } from '../methods/logs/logs-of.ts';
import { isInRange } from './topic.ts';

/** The events that a filter reports. */
export type FilterTopic =
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pendingTransactions' };

/** One filter. It stores its last position in the chain rather than the events since. */
export interface Filter {
  readonly topic: FilterTopic;
  seen: Hex;
  /** Expiry, in milliseconds of the injected clock. */
  expiresAt: number;
}

/** Most filters of one key, and most addresses and topics in all of them: they stay in memory. */
const filtersMax = 100;
const valuesMax = 10_000;
/** A filter expires after this time without a poll, as in geth. */
const idleMsMax = 5 * 60_000;
/** Most logs in one result. */
const logsMax = 10_000;

/** The part of a chain that filters read. */
export type FilterReader = Pick<BlockReader, 'head' | 'header' | 'receipts' | 'block'>;

/** The filters of one chain, separate for each key. */
export class Filters {
  readonly #reader: FilterReader;
  readonly #now: () => number;
  readonly #byOwner = new Map<string, Map<string, Filter>>();

  constructor(reader: FilterReader, now: () => number = () => performance.now()) {
    this.#reader = reader;
    this.#now = now;
  }

  /** The filters of a key. @param owner reference of the key */
  of(owner: string): KeyFilters {
    return new KeyFilters(this.#reader, this.#now, {
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

interface FilterTable {
  readonly read: () => Map<string, Filter>;
  /** Like `read`, for additions: the returned table is stored. */
  readonly write: () => Map<string, Filter>;
}

/** The filters of one key. */
export class KeyFilters {
  readonly #reader: FilterReader;
  readonly #now: () => number;
  readonly #table: FilterTable;

  constructor(reader: FilterReader, now: () => number, table: FilterTable) {
    this.#reader = reader;
    this.#now = now;
    this.#table = table;
  }

  /** @returns the id of the new filter @throws RpcError -32005 above the limits of a key */
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
    filters.set(id, { topic, seen: this.#reader.head.hash, expiresAt: this.#now() + idleMsMax });
    return id;
  }

  find(id: string): Filter | undefined {
    return this.#table.read().get(id);
  }

  /** Removes a filter. Returns false if there is no such filter. */
  remove(id: string): boolean {
    return this.#table.read().delete(id);
  }

  /** Events since the last poll. @throws RpcError -32005 for more logs than one result may hold */
  changes(filter: Filter): unknown[] {
    const { topic, seen } = filter;
    const { hash: head } = this.#reader.head;
    const { left, joined } = changeBetween(this.#reader, seen, head);
    const events: unknown[] = [];
    if (topic.kind === 'blocks') events.push(...joined.map(({ hash }) => hash));
    else if (topic.kind === 'logs') {
      for (const [headers, removed] of [[left, true] as const, [joined, false] as const])
        for (const header of headers.filter(({ number }) => isInRange(topic.filter, number)))
          for (const log of logsOf(topic.filter, this.#reader, header)) {
            if (events.push({ ...log, removed }) > logsMax) throw tooManyLogs();
          }
    }
    filter.seen = head;
    filter.expiresAt = this.#now() + idleMsMax;
    return events;
  }
}

function tooManyLogs(): RpcError {
  const message = `The filter has more than ${logsMax} new logs. Read them with eth_getLogs in smaller ranges.`;
  return new RpcError('limit', message, { logsMax });
}

function valuesOf(topic: FilterTopic): number {
  if (topic.kind !== 'logs') return 0;
  const { addresses, topics } = topic.filter;
  return topics.reduce((sum, { length }) => sum + length, addresses.length);
}
