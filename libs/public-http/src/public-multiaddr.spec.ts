import { expect, test } from '@jest/globals';
import { isPublicMultiaddr } from './public-multiaddr.ts';

const relay = '/p2p/12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2/p2p-circuit';

test.each([
  '/ip4/8.8.8.8/tcp/4001',
  '/ip6/2a01:4f8::1/udp/4001/quic-v1',
  '/ip6/64:ff9b::808:808/tcp/1',
  '/dns4/node.example/tcp/443/wss',
  '/dns4/node.example./tcp/443/tls/sni/node.example/ws',
  '/dns4/local.example/tcp/1',
  `/ip4/8.8.8.8/tcp/4001${relay}`,
])('isPublicMultiaddr accepts %s', (address) => {
  expect(isPublicMultiaddr(address)).toBe(true);
});

test.each([
  '/ip4/10.1.2.3/tcp/4001',
  '/ip4/127.0.0.1/tcp/4001',
  '/ip4/169.254.169.254/tcp/80',
  '/ip4/172.31.0.1/tcp/1',
  '/ip4/192.168.1.1/tcp/1',
  '/ip4/100.64.0.1/tcp/1',
  '/ip4/203.0.113.5/tcp/1',
  '/ip4/255.255.255.255/tcp/1',
  '/ip6/::1/tcp/1',
  '/ip6/::ffff:10.0.0.1/tcp/1',
  '/ip6/fe80::1/tcp/1',
  '/ip6/fd00::1/tcp/1',
  '/ip6/64:ff9b::a00:1/tcp/1',
  '/ip6zone/eth0/ip6/2a01:4f8::1/tcp/1',
  '/dns/localhost/tcp/1',
  '/dns4/db/tcp/1',
  '/dns4/db./tcp/1',
  '/dns4/db.internal/tcp/1',
  '/dns4/nas.local/tcp/4001',
  '/dns6/NAS.LOCAL./tcp/4001',
  '/dns4/10.0.0.1/tcp/1',
  '/dnsaddr/printer.local',
  '/ip4/8.8.8.8/tcp/443/tls/sni/nas.local/ws',
  `/ip4/8.8.8.8/tcp/1${relay}/ip4/10.0.0.1/tcp/1`,
  `/ip4/8.8.8.8/tcp/1${relay}/dns4/nas.local/tcp/1`,
  '/unix/%2Frun%2Fpeer.sock',
  '/memory/1',
  '/ip4',
  '/ip4/nonsense/tcp/1',
  'nonsense',
  '',
])('isPublicMultiaddr refuses %s', (address) => {
  expect(isPublicMultiaddr(address)).toBe(false);
});
