import { BlockList } from 'node:net';
import { multiaddr } from '@multiformats/multiaddr';

/** Ranges that are not routed on the internet (RFC 6890, RFC 4291). Mapped IPv4 addresses match those of IPv4. */
const local = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  local.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 127],
  // Addresses of IPv4 inside IPv6: NAT64 and 6to4.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  local.addSubnet(network, bits, 'ipv6');

const localName = /^[^.]*\.?$|\.(localhost|local|internal|intranet|lan|home\.arpa|test|invalid)\.?$/i;

/**
 * Reports whether every part of a multiaddress is public. Accounts see no other addresses: those of the operator's network
 * are none of their concern.
 */
export function isPublicAddress(address: string): boolean {
  try {
    return multiaddr(address)
      .getComponents()
      .every(({ name, value = '' }) => isPublicPart(name, value));
  } catch {
    return false;
  }
}

function isPublicPart(name: string, value: string): boolean {
  if (name === 'ip4') return !local.check(value, 'ipv4');
  if (name === 'ip6') return !local.check(value, 'ipv6');
  if (name.startsWith('dns')) return !localName.test(value);
  return name !== 'unix' && name !== 'memory' && name !== 'ip6zone';
}
