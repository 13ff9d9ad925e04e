import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Names that no public DNS server resolves: one label, or a top-level domain for local use (RFC 6761, RFC 6762, RFC 8375). */
const localName = /^[^.]*\.?$|\.(localhost|local|internal|intranet|lan|home\.arpa|test|invalid)\.?$/i;

/** Protocols whose value is a DNS name. */
const nameProtocols: ReadonlySet<string> = new Set(['dns', 'dns4', 'dns6', 'dnsaddr', 'sni']);

/** Protocols that have a meaning on one host only. */
const hostProtocols: ReadonlySet<string> = new Set(['unix', 'memory', 'ip6zone']);

/**
 * Reports whether every host in the text of a multiaddress is public: its IP addresses are globally reachable, and its DNS names
 * are not local ones. Other texts than a multiaddress are not public. Values of other protocols are not validated.
 */
export function isPublicMultiaddr(address: string): boolean {
  const [before, ...parts] = address.split('/');
  if (before !== '' || parts.length === 0) return false;
  return parts.every((name, index) => isPublicPart(name, parts[index + 1] ?? ''));
}

function isPublicPart(name: string, value: string): boolean {
  if (name === 'ip4' || name === 'ip6') return isPublicAddress(value);
  if (nameProtocols.has(name)) return isIP(value) === 0 ? !localName.test(value) : isPublicAddress(value);
  return !hostProtocols.has(name);
}
