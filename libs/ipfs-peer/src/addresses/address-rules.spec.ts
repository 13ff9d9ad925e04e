import { describe, expect, test } from '@jest/globals';
import { peerIdFromString } from '@libp2p/peer-id';
import { multiaddr } from '@multiformats/multiaddr';
import { AddressRules } from './address-rules.ts';
import { parsePeerAddress } from './parse-address.ts';
import { isPrivateIp } from './private-address.ts';
import { resolveNames } from './resolve-names.ts';

const peer = '12D3KooWJRSrypvnpHgc6ZAgyCni4KcSmbV7uGRaMw5LgMKT18fq';

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
  'no address',
])('%s is private', (address) => {
  expect(isPrivateIp(address)).toBe(true);
});

test.each(['1.1.1.1', '104.131.131.82', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => {
    expect(isPrivateIp(address)).toBe(false);
  },
);

describe('address rules', () => {
  const gate = (rules: AddressRules, address: string) => rules.gater().denyDialMultiaddr?.(multiaddr(address));

  test('an announced private address is refused and counted, a public one is dialled', () => {
    const rules = new AddressRules({ allowsPrivate: false });
    expect(gate(rules, `/ip4/127.0.0.1/tcp/4001/p2p/${peer}`)).toBe(true);
    expect(gate(rules, `/ip6/::1/tcp/4001/ws/p2p/${peer}`)).toBe(true);
    expect(gate(rules, `/ip4/104.131.131.82/tcp/4001/p2p/${peer}`)).toBe(false);
    expect(rules.refused).toBe(2);
    expect(gate(new AddressRules({ allowsPrivate: true }), `/ip4/127.0.0.1/tcp/4001/p2p/${peer}`)).toBe(false);
  });

  test('an address that does not start with an IP address is refused', () => {
    const rules = new AddressRules({ allowsPrivate: false });
    expect(gate(rules, `/dns4/peer.example/tcp/443/wss/p2p/${peer}`)).toBe(true);
    expect(gate(rules, `/ip4/1.1.1.1/tcp/4001/p2p/${peer}/p2p-circuit/ip4/127.0.0.1/tcp/1`)).toBe(true);
  });

  test('an address of the operator is allowed, and another port of its host is not', () => {
    const rules = new AddressRules({ allowsPrivate: false });
    rules.allow([multiaddr(`/ip4/10.0.0.5/tcp/4001/p2p/${peer}`)]);
    expect(rules.allows(multiaddr('/ip4/10.0.0.5/tcp/4001'))).toBe(true);
    expect(rules.allows(multiaddr('/ip4/10.0.0.5/tcp/22'))).toBe(false);
  });

  test('the number of addresses of the operator is bounded', () => {
    const rules = new AddressRules({ allowsPrivate: false });
    for (let port = 1; port <= 2000; port++) rules.allow([multiaddr(`/ip4/10.0.0.5/tcp/${port}`)]);
    expect(rules.allows(multiaddr('/ip4/10.0.0.5/tcp/1'))).toBe(false);
    expect(rules.allows(multiaddr('/ip4/10.0.0.5/tcp/2000'))).toBe(true);
  });

  test('private addresses that a peer announces are not stored, and names are', () => {
    const { filterMultiaddrForPeer } = new AddressRules({ allowsPrivate: false }).gater();
    const isStored = (address: string) => filterMultiaddrForPeer?.(peerIdFromString(peer), multiaddr(address));
    expect(isStored('/ip4/192.168.0.1/tcp/4001')).toBe(false);
    expect(isStored('/ip4/1.1.1.1/tcp/4001')).toBe(true);
    expect(isStored('/dns4/peer.example/tcp/4001')).toBe(true);
  });
});

describe('names', () => {
  const find = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];

  test('a name becomes its addresses, which the rules then refuse', async () => {
    const addresses = await resolveNames(multiaddr(`/dns/evil.example/tcp/4001/p2p/${peer}`), undefined, find);
    expect(addresses.map(String)).toEqual([`/ip4/127.0.0.1/tcp/4001/p2p/${peer}`, `/ip6/::1/tcp/4001/p2p/${peer}`]);
    const rules = new AddressRules({ allowsPrivate: false });
    expect(addresses.map((address) => rules.allows(address))).toEqual([false, false]);
  });

  test('a TLS address keeps its name', async () => {
    const address = multiaddr('/dns4/peer.example/tcp/443/tls/ws');
    expect((await resolveNames(address, undefined, find)).map(String)).toEqual([address.toString()]);
  });

  test('a lookup ends with its signal', async () => {
    const never = () => new Promise<never>(() => {});
    const signal = AbortSignal.timeout(20);
    await expect(resolveNames(multiaddr('/dns4/slow.example/tcp/1'), signal, never)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

test.each([
  ['', 'it has no peer ID'],
  ['/ip4/1.1.1.1/tcp/4001', 'it has no peer ID'],
  ['/ip4/999.1.1.1/tcp/1', 'is not valid'],
  [`/ip4/1.1.1.1/tcp/1/p2p/${peer}/ws`, 'it has no peer ID'],
  [`/${'a'.repeat(5000)}`, 'longer than'],
])('the peer address %j is refused', (text, reason) => {
  expect(() => parsePeerAddress(text)).toThrow(reason);
});
