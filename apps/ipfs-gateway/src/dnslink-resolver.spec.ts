import { expect, test } from '@jest/globals';
import { DnslinkResolver } from './dnslink-resolver.ts';
import type { IpfsGatewaySettings } from './settings.ts';

test('a name of IPFS_NS_MAP needs no DNS and ignores case', async () => {
  const settings: Pick<IpfsGatewaySettings, 'IPFS_NS_MAP'> = { IPFS_NS_MAP: 'site.example:/ipns/other.example' };
  const resolver = new DnslinkResolver(settings);
  expect(await resolver.find('Site.Example')).toEqual({ path: '/ipns/other.example' });
});
