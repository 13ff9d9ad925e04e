import { expect, test } from '@jest/globals';
import { DnslinkResolver } from './dnslink-resolver.ts';

test('a name of the map needs no DNS and ignores case', async () => {
  const resolver = new DnslinkResolver({ map: 'site.example:/ipns/other.example' });
  expect(await resolver.find('Site.Example')).toEqual({ path: '/ipns/other.example' });
});
