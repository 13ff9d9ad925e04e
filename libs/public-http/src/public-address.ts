import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 networks that are not globally reachable: IANA IPv4 Special-Purpose Address Registry, and multicast. */
const specialNetworks4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private use
  ['100.64.0.0', 10], // shared space of carriers (CGNAT), with the metadata services of some clouds
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, with the metadata services of most clouds
  ['172.16.0.0', 12], // private use
  ['192.0.0.0', 24], // IETF protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays, deprecated
  ['192.168.0.0', 16], // private use
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, with broadcast
];

/** Networks within global unicast (2000::/3) that are not globally reachable, or that contain other addresses. */
const specialNetworks6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23], // IETF protocol assignments, with Teredo and ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which contains an IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3ffe::', 16], // 6bone, returned
  ['3fff::', 20], // documentation
];

const special = new BlockList();
for (const [network, bits] of specialNetworks4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of specialNetworks6) special.addSubnet(network, bits, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Prefixes whose last 32 bits are an IPv4 address: mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96). */
const embeddingPrefixes: readonly string[] = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/**
 * Reports whether an IP address is globally reachable. Private, loopback, link-local, carrier, multicast, documentation and
 * reserved ranges are not, nor are texts other than an IP address. IPv4 addresses within IPv6 ones are tested too.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  if (isIPv4(bare)) return !special.check(bare, 'ipv4');
  if (isIP(bare) !== 6 || bare !== address) return false;
  const groups = groupsOf(bare);
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  if (embeddingPrefixes.includes(prefix)) {
    const [high = 0, low = 0] = groups.slice(6);
    return isPublicAddress(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`);
  }
  return globalUnicast.check(bare, 'ipv6') && !special.check(bare, 'ipv6');
}

/** Returns the eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser writes an address in hexadecimal groups, also one that ends with an IPv4 address.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
