import { type ProcessGroup, shareOf } from '@cairn/service-kit';
import { LRUCache } from 'lru-cache';

let processes: Pick<ProcessGroup, 'count'> = { count: 1 };

/** Divides the memory of all caches of results among the processes of the gateway. Call it before the first request. */
export function divideCaches(group: Pick<ProcessGroup, 'count'>): void {
  processes = group;
}

export interface DividedCacheOptions<V> {
  /** Characters of all entries, in all processes. */
  readonly charactersMax: number;
  readonly entryCharactersMax?: number;
  /** Default: the size is passed with each entry. */
  readonly sizeOf?: (value: V, key: string) => number;
}

/** Returns a function that creates the cache at its first call, when the number of processes is known. */
export function dividedCache<V extends object>(options: DividedCacheOptions<V>): () => LRUCache<string, V> {
  let cache: LRUCache<string, V> | undefined;
  return () => {
    if (cache !== undefined) return cache;
    const { charactersMax, entryCharactersMax = charactersMax, sizeOf } = options;
    const maxSize = shareOf(charactersMax, processes);
    cache = new LRUCache<string, V>({
      maxSize,
      maxEntrySize: Math.min(maxSize, entryCharactersMax),
      ...(sizeOf && { sizeCalculation: sizeOf }),
    });
    return cache;
  };
}
