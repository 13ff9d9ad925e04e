import type { Header, Hex } from '@cairn/block-model';
import type { CallSource } from './call-source.ts';

/**
 * Returns a lookup of ancestor hashes by number. For a canonical block it uses the index of the chain, for others it follows the
 * parents.
 */
export function ancestorHashes(
  source: Pick<CallSource, 'header' | 'hashByNumber' | 'isCanonical' | 'ancestorHash'>,
  header: Header,
): (number: bigint) => Hex | undefined {
  if (source.ancestorHash !== undefined) {
    return (number) => (number >= header.number || number < 0n ? undefined : source.ancestorHash?.(header, number));
  }
  // Created on demand: few calls read a hash of an ancestor.
  let walked: Map<bigint, Hex> | undefined;
  let lowest = header.number - 1n;
  let isCanonical: boolean | undefined;
  return (number) => {
    if (number >= header.number || number < 0n) return undefined;
    isCanonical ??= source.isCanonical?.(header.hash) ?? false;
    if (isCanonical && source.hashByNumber) return source.hashByNumber(number);
    walked ??= new Map([[lowest, header.parentHash]]);
    while (lowest > number) {
      const hash = walked.get(lowest);
      const parent = hash && source.header(hash)?.parentHash;
      if (parent === undefined) return undefined;
      lowest -= 1n;
      walked.set(lowest, parent);
    }
    return walked.get(number);
  };
}

/** Returns a header and its ancestors down to a height. Without a height, returns the header alone. */
export function ancestorsDownTo(
  source: Pick<CallSource, 'header'>,
  header: Header,
  lowest: bigint | undefined,
): Header[] {
  const headers = [header];
  for (let at = header; lowest !== undefined && at.number > lowest; ) {
    const before = source.header(at.parentHash);
    if (before === undefined) break;
    headers.push(before);
    at = before;
  }
  return headers;
}
