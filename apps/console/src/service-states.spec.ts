import { expect, test } from '@jest/globals';
import type { Addresses } from './addresses.ts';
import { ServiceStates } from './service-states.ts';

const addresses = {
  storage: 's',
  gateway: 'g',
  ipfsGateway: 'i',
  namesIpfsGateway: true,
  ipfsPeer: undefined,
} as Addresses;

test('states name no reasons, and all viewers within five seconds share one request to each service', async () => {
  const asked: string[] = [];
  let now = 0;
  const readiness = async (url: string) => {
    asked.push(url);
    return { isReady: url !== 'g', isReachable: true, text: 'accounts: /srv/home is damaged' };
  };
  const states = new ServiceStates(addresses, { readiness }, () => now);
  const expected = [
    { name: 'Storage API', isReady: true, isDeployed: true },
    { name: 'JSON-RPC', isReady: false, isDeployed: true },
    { name: 'IPFS gateway', isReady: true, isDeployed: true },
  ];
  expect(await states.list()).toEqual(expected);
  now = 4999;
  expect(await states.list()).toEqual(expected);
  expect(asked).toEqual(['s', 'g', 'i']);
  now = 5000;
  await states.list();
  expect(asked).toHaveLength(6);
});

test.each([
  ['is not deployed while it has never answered', false, false],
  ['is not ready if the settings name it', true, true],
])('an IPFS gateway that is not reachable %s', async (_, namesIpfsGateway, isDeployed) => {
  let now = 0;
  let isReachable = false;
  const readiness = async () => ({ isReady: isReachable, isReachable, text: '' });
  const states = new ServiceStates({ ...addresses, namesIpfsGateway }, { readiness }, () => now);
  const ipfsGateway = async () => {
    now += 5000;
    return (await states.list())[2];
  };
  expect(await ipfsGateway()).toEqual({ name: 'IPFS gateway', isReady: false, isDeployed });
  isReachable = true;
  await ipfsGateway();
  isReachable = false;
  expect(await ipfsGateway()).toEqual({ name: 'IPFS gateway', isReady: false, isDeployed: true });
});
