import { expect, test } from '@jest/globals';
import { multiaddr } from '@multiformats/multiaddr';
import { peerLimits } from '../limits.ts';
import { AddressFilters } from './address-filters.ts';

const blocks = (filters: AddressFilters, address: string) => filters.blocks(multiaddr(address));

test('filters block the addresses of their networks and no others', async () => {
  const filters = await AddressFilters.open();
  expect([filters.list(), blocks(filters, '/ip4/10.1.2.3/tcp/1')]).toEqual([[], false]);
  await filters.add(['/ip4/10.0.0.0/ipcidr/8', '/ip6/2001:db8::/ipcidr/32', '/ip4/192.0.2.7/ipcidr/32']);
  expect(
    [
      '/ip4/10.255.0.1/tcp/4001',
      '/ip4/11.0.0.1/tcp/4001',
      '/ip6/2001:db8:1::1/tcp/4001',
      '/ip6/2001:db9::1/tcp/4001',
      '/ip4/192.0.2.7/udp/4001/quic-v1',
      '/ip4/192.0.2.8/tcp/4001',
      '/ip6/::ffff:10.0.0.1/tcp/4001',
      '/dns4/example.org/tcp/4001',
    ].map((address) => blocks(filters, address)),
  ).toEqual([true, false, true, false, true, false, true, false]);
  expect(await filters.remove(['/ip4/10.0.0.0/ipcidr/8', '/ip4/99.0.0.0/ipcidr/8'])).toEqual([
    '/ip4/10.0.0.0/ipcidr/8',
  ]);
  expect(blocks(filters, '/ip4/10.255.0.1/tcp/4001')).toBe(false);
  expect((await filters.remove(['all'])).length).toBe(2);
  expect(filters.list()).toEqual([]);
});

test.each([
  'nonsense',
  '/ip4/10.0.0.0/ipcidr/33',
  '/ip4/10.0.0/ipcidr/8',
  '/ip6/10.0.0.0/ipcidr/8',
  '/ip6/::/ipcidr/129',
  '/ip4/10.0.0.0/tcp/8',
  '/ip4/10.0.0.0/ipcidr/8/tcp/1',
  `/ip6/${':'.repeat(10_000)}/ipcidr/8`,
])('%.40s is refused, and no other filter of the call applies', async (text) => {
  const filters = await AddressFilters.open();
  await expect(filters.add(['/ip4/10.0.0.0/ipcidr/8', text])).rejects.toMatchObject({ code: 'ADDRESS_INVALID' });
  expect(filters.list()).toEqual([]);
});

test('filters are stored at each change, loaded at the start, and their number is bounded', async () => {
  let stored: readonly string[] = [];
  const store = {
    load: async () => stored,
    save: async (list: readonly string[]) => {
      stored = list;
    },
  };
  const filters = await AddressFilters.open(store);
  await filters.add(['/ip4/10.0.0.0/ipcidr/8', '/ip4/10.0.0.0/ipcidr/8', '/ip4/11.0.0.0/ipcidr/8']);
  await filters.remove(['/ip4/11.0.0.0/ipcidr/8']);
  expect(stored).toEqual(['/ip4/10.0.0.0/ipcidr/8']);
  expect(blocks(await AddressFilters.open(store), '/ip4/10.0.0.1/tcp/1')).toBe(true);
  const many = Array.from(
    { length: peerLimits.addressFiltersMax },
    (_, n) => `/ip4/11.${n >> 8}.${n & 255}.0/ipcidr/24`,
  );
  await expect(filters.add(many)).rejects.toMatchObject({ code: 'ADDRESS_FILTERS_FULL' });
});
