import {
  type FilterOwner,
  type FilterPlace,
  type FilterStore,
  filterLimits,
  type StoredFilter,
  valuesOf,
} from './filter-store.ts';

interface Entry {
  filter: StoredFilter;
  expiresAt: number;
}

/** Filters in the memory of one process. They end with it. */
export class MemoryFilterStore implements FilterStore {
  readonly isShared = false;
  readonly #now: () => number;
  readonly #byOwner = new Map<string, Map<string, Entry>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async add(owner: FilterOwner, id: string, filter: Pick<StoredFilter, 'topic' | 'place'>): Promise<boolean> {
    for (const other of this.#byOwner.keys()) this.#unexpired(other);
    const name = nameOf(owner);
    const entries = this.#byOwner.get(name) ?? new Map<string, Entry>();
    const values = [...entries.values()].reduce((sum, entry) => sum + valuesOf(entry.filter.topic), 0);
    const { filtersMax, valuesMax, idleMs } = filterLimits;
    if (entries.size >= filtersMax || values + valuesOf(filter.topic) > valuesMax) return false;
    entries.set(id, { filter: { ...filter, version: 0 }, expiresAt: this.#now() + idleMs });
    this.#byOwner.set(name, entries);
    return true;
  }

  async find(owner: FilterOwner, id: string, { isPoll = false } = {}): Promise<StoredFilter | undefined> {
    const entry = this.#unexpired(nameOf(owner)).get(id);
    if (entry !== undefined && isPoll) entry.expiresAt = this.#now() + filterLimits.idleMs;
    return entry?.filter;
  }

  async advance(owner: FilterOwner, id: string, version: number, place: FilterPlace): Promise<boolean> {
    const entry = this.#unexpired(nameOf(owner)).get(id);
    if (entry?.filter.version !== version) return false;
    entry.filter = { topic: entry.filter.topic, place, version: version + 1 };
    return true;
  }

  async remove(owner: FilterOwner, id: string): Promise<boolean> {
    return this.#unexpired(nameOf(owner)).delete(id);
  }

  async close(): Promise<void> {}

  /** Removes the expired filters of a key and returns the others. */
  #unexpired(name: string): Map<string, Entry> {
    const entries = this.#byOwner.get(name) ?? new Map<string, Entry>();
    const now = this.#now();
    for (const [id, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(id);
    if (entries.size === 0) this.#byOwner.delete(name);
    return entries;
  }
}

function nameOf({ network, key }: FilterOwner): string {
  return `${network} ${key}`;
}
