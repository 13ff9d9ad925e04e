import type { PeerApi } from '@cairn/peer-api';
import { isProfileName, profiles } from '@cairn/unixfs';
import type { StorageSettings } from '../../settings.ts';
import { ApiError } from '../api-error.ts';
import { withoutPeerId } from '../peer/peer-address.ts';

/** A value of the configuration. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | ConfigMap;

export interface ConfigMap {
  readonly [name: string]: ConfigValue;
}

/**
 * Settings of the service that concern its accounts, under Kubo's names and in Kubo's units
 * (https://github.com/ipfs/kubo/blob/v0.42.0/docs/config.md). All others concern the operator.
 */
export function configOf(settings: StorageSettings, peerId: string): ConfigMap {
  const { STORAGE_BYTES_MAX: bytesMax, STORAGE_CID_PROFILE: chosen = 'unixfs-v0-2015' } = settings;
  const profile = profiles[isProfileName(chosen) ? chosen : 'unixfs-v0-2015'];
  const shardBytes = settings.STORAGE_SHARD_BYTES ?? profile.shardBytes;
  return {
    Datastore: {
      GCPeriod: `${settings.STORAGE_GC_INTERVAL_SECONDS}s`,
      HashOnRead: true,
      StorageGCWatermark: settings.STORAGE_GC_WATERMARK_PERCENT,
      ...(bytesMax !== undefined && { StorageMax: `${bytesMax}B` }),
    },
    Identity: { PeerID: peerId },
    Import: {
      CidVersion: profile.cidVersion,
      HashFunction: profile.hash,
      UnixFSChunker: profile.chunker,
      UnixFSDirectoryMaxLinks: profile.directoryLinksMax,
      UnixFSFileMaxLinks: profile.fileLinksMax,
      UnixFSHAMTDirectoryMaxFanout: profile.shardFanout,
      UnixFSHAMTDirectorySizeEstimation: settings.STORAGE_SHARD_ESTIMATION ?? profile.shardEstimation,
      UnixFSHAMTDirectorySizeThreshold: `${shardBytes}B`,
      UnixFSRawLeaves: profile.rawLeaves,
    },
    Routing: { Type: 'none' },
  };
}

/** Settings and state of the peer under Kubo's names, for operators. */
export async function nodeConfigOf(peer: PeerApi): Promise<ConfigMap> {
  const [addresses, bootstrap, peering, dht] = await Promise.all([
    peer.swarm.listenAddresses(),
    peer.bootstrapAddresses(),
    peer.swarm.peering(),
    peer.routing.status(),
  ]);
  return {
    Addresses: { Swarm: [...addresses].sort() },
    Bootstrap: [...bootstrap].sort(),
    Peering: {
      Peers: peering.map(({ peer: id = '', addresses: list = [] }) => ({ ID: id, Addrs: list.map(withoutPeerId) })),
    },
    Routing: { Type: { client: 'dhtclient', server: 'dhtserver', none: 'none' }[dht.mode] },
    Swarm: { AddrFilters: [] },
  };
}

/** Returns the value of a key such as `Import.CidVersion`. @throws ApiError 500 in Kubo's words */
export function configValue(config: ConfigMap, key: string): ConfigValue {
  if (['identity', 'identity.privkey'].includes(key.toLowerCase()))
    throw new ApiError(500, 'cannot show or change private key through API');
  let value: ConfigValue = config;
  const passed: string[] = [];
  for (const name of key.split('.')) {
    if (!(value instanceof Object) || Array.isArray(value)) throw invalidKey(`${passed.join('.')} key is not a map`);
    passed.push(name);
    const map = value as ConfigMap;
    const next: ConfigValue | undefined = Object.hasOwn(map, name) ? map[name] : undefined;
    if (next === undefined) throw invalidKey(`${passed.join('.')} not found`);
    value = next;
  }
  return value;
}

function invalidKey(reason: string): ApiError {
  return new ApiError(500, `failed to get config value: ${JSON.stringify(reason)}`);
}
