import { BlockList, isIP } from 'node:net';

/** Ranges that are no global unicast addresses (IANA special-purpose registries), with cloud metadata services. */
const privateRanges: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Metadata services with addresses of their own: Alibaba Cloud, Oracle Cloud, Azure's platform address.
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
];

/** Global unicast of IPv6. Everything outside of it is refused. */
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');

const blocked = new BlockList();
for (const [network, prefix] of privateRanges) blocked.addSubnet(network, prefix, 'ipv4');
// Special ranges inside of global unicast: IETF protocols with Teredo, documentation, 6to4 of any IPv4 address.
blocked.addSubnet('2001::', 23, 'ipv6');
blocked.addSubnet('2001:db8::', 32, 'ipv6');
blocked.addSubnet('2002::', 16, 'ipv6');
blocked.addSubnet('3fff::', 20, 'ipv6');

/** Reports whether an IP address is not reachable for the whole internet: private, loopback, link-local, metadata. */
export function isPrivateIp(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return blocked.check(address, 'ipv4');
  // An address that does not parse cannot be judged.
  if (family !== 6) return true;
  // IPv4-mapped and NAT64 addresses lie outside of global unicast too.
  return !globalIpv6.check(address, 'ipv6') || blocked.check(address, 'ipv6');
}
