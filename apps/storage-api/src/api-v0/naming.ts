import type { FileNaming, ShardingOptions } from '@cairn/mfs';
import { isProfileName, type Profile, profiles } from '@cairn/unixfs';
import type { StorageSettings } from '../settings.ts';
import { multihashName } from './add/add-hash.ts';
import { ApiError } from './api-error.ts';

/** Profile of the service's settings, if any. */
function profileOf({ STORAGE_CID_PROFILE: name }: StorageSettings): Profile | undefined {
  return name !== undefined && isProfileName(name) ? profiles[name] : undefined;
}

/** Rules for sharding directories: the profile of the service, then its own settings. */
export function shardingOf(settings: StorageSettings): ShardingOptions {
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

const most = 2 ** 31 - 1;

/** Options of commands that create files and directories in the tree of an account. */
export const namingOptions = {
  'cid-version': { kind: 'integer', alias: 'cid-ver', min: -most - 1, max: most },
  hash: { kind: 'text' },
} as const;

/** CID version and hash function that a request may select. */
export interface ChosenNaming {
  readonly 'cid-version': number | undefined;
  readonly hash: string | undefined;
}

/**
 * Parses the CID version and hash function of a request; undefined where it selects neither.
 * @throws ApiError 400 in Kubo's words
 */
export function askedNaming({
  'cid-version': version,
  hash,
}: ChosenNaming): { readonly cidVersion: 0 | 1; readonly hash: string } | undefined {
  if (version === undefined && hash === undefined) return undefined;
  if (version !== undefined && version !== 0 && version !== 1)
    throw new ApiError(400, `unknown CID version: ${version}`);
  if (hash === undefined) return { cidVersion: version ?? 0, hash: 'sha2-256' };
  const name = multihashName(hash.toLowerCase(), `unrecognized hash function: ${JSON.stringify(hash)}`);
  // Kubo uses version 1 for any selected hash function.
  return { cidVersion: 1, hash: name };
}

/** Naming of a new file or directory: that of the request, else the profile of the service. */
export function namingFor(
  settings: StorageSettings,
  chosen: ChosenNaming & { readonly 'raw-leaves'?: boolean | undefined },
): FileNaming {
  const profile = profileOf(settings);
  const rawLeaves = chosen['raw-leaves'] ?? profile?.rawLeaves;
  return {
    ...(askedNaming(chosen) ?? (profile && { cidVersion: profile.cidVersion })),
    ...(profile && { chunker: profile.chunker }),
    ...(rawLeaves !== undefined && { rawLeaves }),
  };
}
