import { RawJson } from '@cairn/jsonrpc-core';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../request-context.ts';

/** What belongs to a block of a given hash never changes: its JSON is made once. Characters, over all networks. */
const cache = new LRUCache<string, RawJson>({
  maxSize: 64 * 1024 * 1024,
  maxEntrySize: 16 * 1024 * 1024,
  sizeCalculation: ({ json }) => json.length + 200,
});

/**
 * The JSON of something that its name determines whole.
 * @param name with the hash of the block that it belongs to
 * @param make `undefined` where it is not there, which is not remembered
 */
export function immutableJson({ chain }: RequestContext, name: string, make: () => unknown): RawJson | null {
  const key = `${chain.network.name}/${name}`;
  const known = cache.get(key);
  if (known) return known;
  const value = make();
  if (value === undefined) return null;
  const made = new RawJson(JSON.stringify(value));
  cache.set(key, made);
  return made;
}
