import { CID, formatCid } from '@cairn/cid';
import { cidOf, libp2pKeyCode, parseIpnsName } from '@cairn/ipns';
import { inlineDnslink, labelCharactersMax, undotted } from './dnslink-label.ts';
import { GatewayError } from './errors.ts';

/** Address to write as a subdomain. */
export interface SubdomainAddress {
  readonly isHttps: boolean;
  readonly host: string;
  readonly namespace: 'ipfs' | 'ipns';
  readonly root: string;
  /** Raw path below the root and query. */
  readonly rest: string;
  /** Whether the root, as a domain, has a DNSLink and becomes one label. */
  readonly inlinesRoot: boolean;
}

/** Formats the URL of content as a subdomain. @throws GatewayError 400 for a root that is no label or domain */
export function subdomainUrl({ isHttps, host, namespace, root, rest, inlinesRoot }: SubdomainAddress): string {
  // A certificate covers one label. Without TLS a domain that is too long for one keeps its dots.
  const isInlined = inlinesRoot && (isHttps || undotted(root).length <= labelCharactersMax);
  const label = labelOf(namespace, root) ?? (isInlined ? inlineDnslink(root) : hostOf(root));
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return `${isHttps ? 'https' : 'http'}://${label}.${namespace}.${host}${path}`;
}

/** Returns a domain. Other signs would end the host of the URL. @throws GatewayError 400 */
function hostOf(domain: string): string {
  if (!/^[\w.-]+$/.test(domain)) throw new GatewayError(400, `invalid path "/ipns/${domain}": no IPNS name or domain`);
  return domain;
}

/** Returns the canonical label of a CID or peer ID, or undefined for other texts. */
function labelOf(namespace: 'ipfs' | 'ipns', root: string): string | undefined {
  if (namespace === 'ipfs') {
    const cid = cidOf(root);
    if (cid === undefined) throw new GatewayError(400, `invalid path "/ipfs/${root}": invalid cid`);
    return fittingLabel(cid, formatCid(cid.version === 0 ? CID.createV1(cid.code, cid.multihash) : cid, 'base32'));
  }
  const name = parseIpnsName(root);
  return name === undefined ? undefined : fittingLabel(name, formatCid(name, 'base36'));
}

/** Returns a text of a CID that is a DNS label: the given one, or base36. @throws GatewayError 400 */
export function fittingLabel(cid: CID, text: string): string {
  if (text.length <= labelCharactersMax) return text;
  const shorter = formatCid(CID.createV1(cid.code, cid.multihash), 'base36');
  if (shorter.length <= labelCharactersMax) return shorter;
  throw new GatewayError(400, `CID incompatible with DNS label length limit of 63: ${shorter}`);
}

/** Reports whether a CID of an IPNS subdomain has the codec of keys. */
export function isKeyCid({ code }: CID): boolean {
  return code === libp2pKeyCode;
}
