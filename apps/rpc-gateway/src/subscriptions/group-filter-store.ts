import type { ProcessGroup } from '@cairn/service-kit';
import type { FilterOwner, FilterPlace, FilterStore, StoredFilter } from './filter-store.ts';

/**
 * Filters that all processes of one gateway share. Its primary process holds them in memory, so that they survive the end of
 * any other process. They end with the gateway.
 */
export class GroupFilterStore implements FilterStore {
  readonly isShared = true;
  readonly #processes: Pick<ProcessGroup, 'call'>;

  constructor(processes: Pick<ProcessGroup, 'call'>) {
    this.#processes = processes;
  }

  async add(owner: FilterOwner, id: string, filter: Pick<StoredFilter, 'topic' | 'place'>): Promise<boolean> {
    return (await this.#processes.call('filters.add', owner, id, filter)) === true;
  }

  async find(
    owner: FilterOwner,
    id: string,
    options?: { readonly isPoll?: boolean },
  ): Promise<StoredFilter | undefined> {
    // Typed by `sharedFilters`, which runs in the same version of the program.
    return (await this.#processes.call('filters.find', owner, id, options)) as StoredFilter | undefined;
  }

  async advance(owner: FilterOwner, id: string, version: number, place: FilterPlace): Promise<boolean> {
    return (await this.#processes.call('filters.advance', owner, id, version, place)) === true;
  }

  async remove(owner: FilterOwner, id: string): Promise<boolean> {
    return (await this.#processes.call('filters.remove', owner, id)) === true;
  }

  async close(): Promise<void> {}
}
