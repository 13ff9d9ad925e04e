import { blockToJson, type Hex, InvalidValueError } from '@cairn/block-model';
import { type ParamDefinition, RawJson } from '@cairn/jsonrpc-core';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../request-context.ts';

/** Whether transactions come as objects or as hashes. */
export const fullParam = {
  name: 'full',
  summary: 'true for whole transactions, false for their hashes.',
  parse(field: string, value: unknown): boolean {
    if (typeof value === 'boolean') return value;
    throw new InvalidValueError(field, 'true for whole transactions or false for their hashes', value);
  },
} satisfies ParamDefinition<boolean>;

/** A block of a given hash never changes: its JSON is made once. Characters, over all networks. */
const cache = new LRUCache<string, RawJson>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: ({ json }) => json.length + 200,
});

/** A block as JSON-RPC returns it, or `null` where the chain has none of that hash. */
export function blockJson({ chain: { network, store } }: RequestContext, hash: Hex, full: boolean): RawJson | null {
  const key = `${network.name}/${hash}/${full}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const block = store.block(hash);
  if (block === undefined) return null;
  const made = new RawJson(JSON.stringify(blockToJson(block, { full, totalDifficulty: store.totalDifficulty(hash) })));
  cache.set(key, made);
  return made;
}
