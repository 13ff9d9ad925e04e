import { bytesFromHex, type Header } from '@cairn/block-model';
import type { ProvenBlocks, ReadOptions } from './proven-blocks.ts';

/**
 * The headers below a header, in order, verified by parent links and added to the cache. Headers that do not link are fetched again by
 * the hash that links.
 */
export async function linkedHeadersBelow(
  blocks: ProvenBlocks,
  header: Header,
  count: number,
  options: ReadOptions,
): Promise<readonly Header[]> {
  const from = header.number - BigInt(count);
  const linked: Header[] = [];
  const avoid = new Set<string>();
  let expected = header.parentHash;
  while (linked.length < count) {
    const named = await blocks.unlinkedHeaders(from, count - linked.length, { ...options, avoid });
    for (const { header: each, upstream } of named.toReversed()) {
      const isLinked = each.hash === expected;
      const next = isLinked ? each : await blocks.header(expected, options);
      blocks.cache.put(bytesFromHex(next.hash), next.raw);
      linked.push(next);
      expected = next.parentHash;
      if (isLinked || avoid.has(upstream)) continue;
      // The upstream serves another branch: the others name the rest, instead of one request after the other.
      avoid.add(upstream);
      break;
    }
  }
  return linked.reverse();
}

/** Makes the ancestors of a block down to a height readable in the cache. Cached ones are not requested. */
export async function fetchAncestors(
  blocks: ProvenBlocks,
  header: Header,
  from: bigint,
  options: ReadOptions,
): Promise<void> {
  let at = header;
  while (at.number > from + 1n) {
    const parent = blocks.cachedHeader(at.parentHash);
    if (parent === undefined) break;
    at = parent;
  }
  // The hash of the lowest ancestor is in the header above it.
  const count = Number(at.number - from) - 1;
  if (count > 0) await linkedHeadersBelow(blocks, at, count, options);
}
