import type { FileNaming, ShardingOptions } from '@cairn/mfs';
import type { Settings } from '@cairn/service-kit';
import { isProfileName, type Profile, profiles } from '@cairn/unixfs';

/** The profile that the service is set to, if any. */
function profileOf({ STORAGE_CID_PROFILE: name }: Settings): Profile | undefined {
  return name !== undefined && isProfileName(name) ? profiles[name] : undefined;
}

/** When directories are sharded: the profile of the service, then its own settings. */
export function shardingOf(settings: Settings): ShardingOptions {
  const profile = profileOf(settings);
  const { STORAGE_SHARD_BYTES: shardBytes, STORAGE_SHARD_ESTIMATION: shardEstimation } = settings;
  return {
    ...(profile && {
      shardBytes: profile.shardBytes,
      shardEstimation: profile.shardEstimation,
      shardFanout: profile.shardFanout,
      directoryLinksMax: profile.directoryLinksMax,
    }),
    ...(shardBytes !== undefined && { shardBytes }),
    ...(shardEstimation !== undefined && { shardEstimation }),
  };
}

/** Options of commands that make files and directories in the tree of an account. */
export const namingOptions = {
  'cid-version': { kind: 'integer', min: 0, max: 1 },
  hash: { kind: 'text' },
} as const;

/** How a new file or directory is named: what the request asks for, then the profile of the service. */
export function namingFor(
  settings: Settings,
  chosen: {
    readonly 'cid-version': number | undefined;
    readonly hash: string | undefined;
    readonly 'raw-leaves'?: boolean | undefined;
  },
): FileNaming {
  const profile = profileOf(settings);
  const version = chosen['cid-version'];
  const { hash } = chosen;
  const rawLeaves = chosen['raw-leaves'];
  return {
    ...(profile && {
      ...(hash === undefined && { cidVersion: profile.cidVersion }),
      ...(version === undefined && { rawLeaves: profile.rawLeaves }),
      chunker: profile.chunker,
      fileLinksMax: profile.fileLinksMax,
    }),
    ...(version !== undefined && { cidVersion: version === 1 ? (1 as const) : (0 as const) }),
    ...(hash !== undefined && { hash }),
    ...(rawLeaves !== undefined && { rawLeaves }),
  };
}
