import { expect, test } from '@jest/globals';
import { isPublicAddress } from './public-address.ts';

test.each([
  '/ip4/203.0.113.5/tcp/4001',
  '/ip6/2a01:4f8::1/udp/4001/quic-v1',
  '/dns4/node.example/tcp/443/wss',
  '/ip4/203.0.113.5/tcp/4001/p2p/12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2/p2p-circuit',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  '/ip4/10.1.2.3/tcp/4001',
  '/ip4/127.0.0.1/tcp/4001',
  '/ip4/169.254.169.254/tcp/80',
  '/ip4/172.31.0.1/tcp/1',
  '/ip4/192.168.1.1/tcp/1',
  '/ip4/100.64.0.1/tcp/1',
  '/ip4/255.255.255.255/tcp/1',
  '/ip6/::1/tcp/1',
  '/ip6/::ffff:10.0.0.1/tcp/1',
  '/ip6/fe80::1/tcp/1',
  '/ip6/fd00::1/tcp/1',
  '/ip6/64:ff9b::a00:1/tcp/1',
  '/dns4/localhost/tcp/1',
  '/dns4/db/tcp/1',
  '/dns4/db.internal/tcp/1',
  '/dnsaddr/printer.local',
  '/ip4/203.0.113.5/tcp/1/p2p/12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2/p2p-circuit/ip4/10.0.0.1/tcp/1',
  '/unix/%2Frun%2Fpeer.sock',
  'nonsense',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
