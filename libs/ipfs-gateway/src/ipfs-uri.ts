import { CID, formatCid } from '@cairn/cid';
import { cidOf, parseIpnsName } from '@cairn/ipns';
import type { ContentOrigin } from './exchange.ts';

/**
 * Formats the content path of a request as a URI with one spelling for each path (IPIP-548): a CID of version 1 in base32 or a
 * name in base36, then names in which each byte outside the unreserved set of RFC 3986 is percent-encoded. Returns undefined for a
 * root without an authority, such as a domain without a dot, which can lead to different content in each network.
 */
export function ipfsUri({ namespace, root, below }: ContentOrigin): string | undefined {
  const authority = namespace === 'ipfs' ? authorityOfCid(root) : authorityOfName(root);
  if (authority === undefined) return undefined;
  return `${namespace}://${authority}${below.split('/').map(encodeName).join('/')}`;
}

function authorityOfCid(root: string): string | undefined {
  const cid = cidOf(root);
  return cid && formatCid(cid.version === 0 ? CID.createV1(cid.code, cid.multihash) : cid, 'base32');
}

function authorityOfName(root: string): string | undefined {
  const name = parseIpnsName(root);
  if (name !== undefined) return formatCid(name, 'base36');
  const domain = root.toLowerCase();
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(domain) ? domain : undefined;
}

/** Encodes what encodeURIComponent leaves, too. Unpaired surrogates cannot occur: paths are decoded from UTF-8. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
