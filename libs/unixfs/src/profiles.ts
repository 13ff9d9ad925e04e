import type { DirectoryOptions } from './import-directory.ts';
import type { ImportOptions } from './import-file.ts';

/** Options of an import that determine its CIDs. */
export type Profile = Required<
  Pick<ImportOptions, 'cidVersion' | 'hash' | 'rawLeaves' | 'chunker' | 'layout' | 'fileLinksMax'> &
    Pick<DirectoryOptions, 'shardBytes' | 'shardEstimation' | 'shardFanout' | 'directoryLinksMax'>
>;

const unixfsV0 = {
  cidVersion: 0,
  hash: 'sha2-256',
  rawLeaves: false,
  chunker: 'size-262144',
  layout: 'balanced',
  fileLinksMax: 174,
  shardBytes: 262_144,
  shardEstimation: 'links',
  shardFanout: 256,
  directoryLinksMax: 0,
} as const;

const unixfsV1 = {
  ...unixfsV0,
  cidVersion: 1,
  rawLeaves: true,
  chunker: 'size-1048576',
  fileLinksMax: 1024,
  shardEstimation: 'block',
} as const;

/**
 * Sets of options that give the same CIDs in every implementation: those of IPIP-499, and Kubo's older ones under Kubo's
 * names.
 */
export const profiles = {
  'unixfs-v0-2015': unixfsV0,
  'unixfs-v1-2025': unixfsV1,
  'legacy-cid-v0': unixfsV0,
  'test-cid-v1': { ...unixfsV0, cidVersion: 1, rawLeaves: true, chunker: 'size-1048576' },
  'test-cid-v1-wide': { ...unixfsV1, shardEstimation: 'links', shardBytes: 1_048_576, shardFanout: 1024 },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

/** Reports whether the text is a name in {@link profiles}. */
export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(profiles, name);
}
