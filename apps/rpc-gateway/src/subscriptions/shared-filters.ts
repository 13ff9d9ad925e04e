import type { SharedFunctions } from '@cairn/service-kit';
import { MemoryFilterStore } from './memory-filter-store.ts';

/** Filters in the primary process of a gateway of several, as {@link GroupFilterStore} calls them. */
export function sharedFilters(store = new MemoryFilterStore()): SharedFunctions {
  return {
    'filters.add': (...parameters: Parameters<MemoryFilterStore['add']>) => store.add(...parameters),
    'filters.find': (...parameters: Parameters<MemoryFilterStore['find']>) => store.find(...parameters),
    'filters.advance': (...parameters: Parameters<MemoryFilterStore['advance']>) => store.advance(...parameters),
    'filters.remove': (...parameters: Parameters<MemoryFilterStore['remove']>) => store.remove(...parameters),
  };
}
