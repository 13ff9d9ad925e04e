import { expect, test } from '@jest/globals';
import { urlOfMultiaddr } from './gateway-url.ts';

test.each([
  ['/dns4/gateway.example/tcp/443/https', 'https://gateway.example'],
  ['/dns/gateway.example/tcp/8443/tls/http', 'https://gateway.example:8443'],
  ['/ip4/203.0.113.5/tcp/80/http', 'http://203.0.113.5'],
  ['/ip6/2606:4700::1111/tcp/443/https/p2p/12D3KooWGRUf', 'https://[2606:4700::1111]'],
])('urlOfMultiaddr converts %s', (address, url) => {
  expect(urlOfMultiaddr(address)).toBe(url);
});

test.each([
  '/ip4/203.0.113.5/tcp/4001',
  '/ip4/203.0.113.5/udp/4001/quic-v1',
  '/dns4/a.example/tcp/443/wss',
  '/dns4/a.example/tcp/0/https',
  '/dns4/a.example/tcp/99999/https',
  '/dns4/user:x@a.example/tcp/443/https',
  '/dns4/a.example/tcp/443/https/../x',
  'https://a.example',
  '',
])('urlOfMultiaddr ignores %s', (address) => {
  expect(urlOfMultiaddr(address)).toBeUndefined();
});
