import { loadSettings } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { settingsShape } from '../../settings.ts';
import { fakePeer, otherId } from '../peer/fake-peer.fixture.ts';
import { configOf, configValue, nodeConfigOf } from './config-values.ts';

const config = (env: Readonly<Record<string, string>> = {}) =>
  configOf(loadSettings(settingsShape, { env, directory: '/nowhere' }), '12D3KooWExample');

test("configOf returns the defaults of add under Kubo's names", () => {
  expect(configValue(config(), 'Import')).toEqual({
    CidVersion: 0,
    HashFunction: 'sha2-256',
    UnixFSChunker: 'size-262144',
    UnixFSDirectoryMaxLinks: 0,
    UnixFSFileMaxLinks: 174,
    UnixFSHAMTDirectoryMaxFanout: 256,
    UnixFSHAMTDirectorySizeEstimation: 'links',
    UnixFSHAMTDirectorySizeThreshold: '262144B',
    UnixFSRawLeaves: false,
  });
  const wide = config({
    STORAGE_CID_PROFILE: 'unixfs-v1-2025',
    STORAGE_BYTES_MAX: '1048576',
    STORAGE_SHARD_BYTES: '5',
  });
  expect(configValue(wide, 'Import.CidVersion')).toBe(1);
  expect(configValue(wide, 'Import.UnixFSHAMTDirectorySizeThreshold')).toBe('5B');
  expect(configValue(wide, 'Datastore.StorageMax')).toBe('1048576B');
});

// Messages of Kubo 0.42.
test.each([
  ['Nosuch.Key', 'failed to get config value: "Nosuch not found"'],
  ['Datastore.', 'failed to get config value: "Datastore. not found"'],
  ['', 'failed to get config value: " not found"'],
  ['identity.peerid', 'failed to get config value: "identity not found"'],
  ['Datastore.GCPeriod.x', 'failed to get config value: "Datastore.GCPeriod key is not a map"'],
  ['constructor', 'failed to get config value: "constructor not found"'],
  ['Identity', 'cannot show or change private key through API'],
  ['identity.PrivKey', 'cannot show or change private key through API'],
])('configValue refuses %j', (key, message) => {
  expect(() => configValue(config(), key)).toThrow(message);
});

test('nodeConfigOf returns the values of the peer under the names of Kubo', async () => {
  const address = `/ip4/203.0.113.5/tcp/4001/p2p/${otherId}`;
  const peer = fakePeer({
    bootstrapAddresses: async () => [address],
    swarm: { peering: async () => [{ peer: otherId, addresses: [address] }] },
    routing: { status: async () => ({ mode: 'client', buckets: [] }) },
  });
  const values = { ...config(), ...(await nodeConfigOf(peer)) };
  expect(configValue(values, 'Addresses.Swarm')).toEqual(['/ip4/127.0.0.1/tcp/4001']);
  expect(configValue(values, 'Bootstrap')).toEqual([address]);
  expect(configValue(values, 'Peering.Peers')).toEqual([{ ID: otherId, Addrs: ['/ip4/203.0.113.5/tcp/4001'] }]);
  expect(configValue(values, 'Routing.Type')).toBe('dhtclient');
  expect(() => configValue(values, 'Bootstrap.0')).toThrow('Bootstrap key is not a map');
});
