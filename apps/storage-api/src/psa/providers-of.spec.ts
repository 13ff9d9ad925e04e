import { expect, test } from '@jest/globals';
import { providersOf } from './providers-of.ts';

test('providersOf splits multiaddrs into peers and addresses', () => {
  expect(
    providersOf(['/ip4/203.0.113.5/tcp/4001/p2p/12D3KooWA', '/p2p/QmB', '/dns4/gateway.example/tcp/443/https']),
  ).toEqual([
    { peer: '12D3KooWA', addresses: ['/ip4/203.0.113.5/tcp/4001'] },
    { peer: 'QmB' },
    { addresses: ['/dns4/gateway.example/tcp/443/https'] },
  ]);
});
