import { loadSettings } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { checkAddresses } from './check-addresses.ts';
import { bootstrapList, settingsShape } from './settings.ts';

const load = (env: Readonly<Record<string, string>>) => loadSettings(settingsShape, { env, directory: '/' });

test('the default settings are good', () => {
  expect(() => checkAddresses(load({}))).not.toThrow();
  expect(bootstrapList(load({}))).toHaveLength(5);
});

test.each([
  ['IPFS_PEER_LISTEN', '/ip4/999.0.0.1/tcp/4001'],
  ['IPFS_PEER_ANNOUNCE', '/foo/1'],
  ['IPFS_PEER_BOOTSTRAP', '/ip4/1.1.1.1/tcp/4001'],
  ['IPFS_PEER_PEERING', '/ip4/1.1.1.1/tcp/4001/p2p/no-peer-id'],
])('%s=%s is refused with the name and the value', (name, value) => {
  const check = () => checkAddresses(load({ [name]: value }));
  expect(check).toThrow(name);
  expect(check).toThrow(value);
});

test('a text that is no list of multiaddrs is refused', () => {
  expect(() => load({ IPFS_PEER_PEERING: 'peer.example:4001' })).toThrow('IPFS_PEER_PEERING');
});
