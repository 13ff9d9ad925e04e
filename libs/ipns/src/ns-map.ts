import { parseCid } from '@cairn/cid';
import { errorText } from '@cairn/errors';
import type { DnsLink } from './resolve-name.ts';

/**
 * Parses `IPFS_NS_MAP` of Kubo: `domain:/ipfs/<cid>,domain:/ipns/<name>`. It replaces DNS for these domains.
 * @throws TypeError for an entry without a path, or with a path of no CID
 */
export function parseNsMap(text: string): ReadonlyMap<string, DnsLink> {
  const links = new Map<string, DnsLink>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, domain, path] = /^([^:/]+):(\/ip[fn]s\/.+)$/.exec(entry) ?? [];
    if (domain === undefined || path === undefined)
      throw new TypeError(`"${entry.slice(0, 200)}" is not of the form domain:/ipfs/<cid>. Correct the entry.`);
    assertCid(path, entry);
    links.set(domain.toLowerCase(), { path });
  }
  return links;
}

/** A name would otherwise fail at each of its requests, for a reason that only the operator can remove. */
function assertCid(path: string, entry: string): void {
  const [, space, root = ''] = path.split('/');
  if (space !== 'ipfs') return;
  try {
    parseCid(root);
  } catch (error) {
    throw new TypeError(`"${entry.slice(0, 200)}" in IPFS_NS_MAP has no CID: ${errorText(error)}`);
  }
}
