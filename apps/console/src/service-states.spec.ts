import { expect, test } from '@jest/globals';
import type { Addresses } from './addresses.ts';
import { ServiceStates } from './service-states.ts';

const addresses = { storage: 's', gateway: 'g', ipfsGateway: 'i', ipfsPeer: undefined } as Addresses;

test('states name no reasons, and all viewers within five seconds share one request to each service', async () => {
  const asked: string[] = [];
  let now = 0;
  const readiness = async (url: string) => {
    asked.push(url);
    return { isReady: url !== 'g', text: 'accounts: /srv/home is damaged' };
  };
  const states = new ServiceStates(addresses, { readiness }, () => now);
  const expected = [
    { name: 'Storage API', isReady: true },
    { name: 'JSON-RPC', isReady: false },
    { name: 'IPFS gateway', isReady: true },
  ];
  expect(await states.list()).toEqual(expected);
  now = 4999;
  expect(await states.list()).toEqual(expected);
  expect(asked).toEqual(['s', 'g', 'i']);
  now = 5000;
  await states.list();
  expect(asked).toHaveLength(6);
});
