import { RawJson } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../request-context.ts';
import { dividedCache } from './divided-cache.ts';

interface Entry {
  readonly json: RawJson;
  /** The data rests on the agreement of upstreams, which each answer has to state. */
  readonly isAttested: boolean;
}

/** Serialized data of blocks by hash, which never changes. Sizes in characters, over all networks. */
const cache = dividedCache<Entry>({
  charactersMax: 64 * 1024 * 1024,
  entryCharactersMax: 16 * 1024 * 1024,
  sizeOf: ({ json: { json } }) => json.length + 200,
});

/**
 * Serializes immutable data, or returns it from the cache.
 * @param name identifies the data; contains the hash of its block
 * @param make returns the data; `undefined`, if the data is absent, is not cached
 */
export function immutableJson(
  { chain, meter }: Pick<RequestContext, 'chain' | 'meter'>,
  name: string,
  make: () => unknown,
): RawJson | null {
  const key = `${chain.network.name}/${name}`;
  const known = cache().get(key);
  if (known !== undefined) {
    if (known.isAttested) meter.recordProof('quorum');
    return known.json;
  }
  const value = make();
  if (value === undefined) return null;
  const json = new RawJson(JSON.stringify(value));
  cache().set(key, { json, isAttested: meter.proofs.includes('quorum') });
  return json;
}
