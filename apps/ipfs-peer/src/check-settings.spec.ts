import { loadSettings } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { checkSettings } from './check-settings.ts';
import { bootstrapList, settingsShape } from './settings.ts';

const load = (env: Readonly<Record<string, string>>) => loadSettings(settingsShape, { env, directory: '/' });

test('the default settings are good', () => {
  expect(() => checkSettings(load({}))).not.toThrow();
  expect(bootstrapList(load({}))).toHaveLength(5);
});

test.each([
  ['IPFS_PEER_LISTEN', '/ip4/999.0.0.1/tcp/4001'],
  ['IPFS_PEER_ANNOUNCE', '/foo/1'],
  ['IPFS_PEER_BOOTSTRAP', '/ip4/1.1.1.1/tcp/4001'],
  ['IPFS_PEER_PEERING', '/ip4/1.1.1.1/tcp/4001/p2p/no-peer-id'],
])('%s=%s is refused with the name and the value', (name, value) => {
  const check = () => checkSettings(load({ [name]: value }));
  expect(check).toThrow(name);
  expect(check).toThrow(value);
});

test('a minimum of connections above the maximum is refused, also where one of both is the default', () => {
  const check = (min: string, max?: string) => () =>
    checkSettings(load({ IPFS_PEER_CONNECTIONS_MIN: min, ...(max && { IPFS_PEER_CONNECTIONS_MAX: max }) }));
  expect(check('301')).toThrow(/IPFS_PEER_CONNECTIONS_MIN.*301 is above IPFS_PEER_CONNECTIONS_MAX, which is 300/s);
  expect(check('9', '8')).toThrow('IPFS_PEER_CONNECTIONS_MIN');
  expect(check('8', '8')).not.toThrow();
  expect(check('300')).not.toThrow();
});

test('a text that is no list of multiaddrs is refused', () => {
  expect(() => load({ IPFS_PEER_PEERING: 'peer.example:4001' })).toThrow('IPFS_PEER_PEERING');
});
