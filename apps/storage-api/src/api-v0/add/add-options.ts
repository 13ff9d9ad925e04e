import type { Settings } from '@cairn/service-kit';
import { isProfileName, profiles, type TreeOptions, type UnixfsMetadata } from '@cairn/unixfs';
import { ApiError } from '../api-error.ts';
import { metadataFrom, metadataOptions } from '../metadata-options.ts';
import type { OptionValues } from '../options.ts';

const most = Number.MAX_SAFE_INTEGER;

/** The options of `add`, named as in Kubo; `cid-profile` selects a profile of IPIP-499 by name. */
export const addOptions = {
  pin: { kind: 'boolean', default: true },
  'pin-name': { kind: 'text' },
  'only-hash': { kind: 'boolean', default: false },
  'wrap-with-directory': { kind: 'boolean', default: false },
  'to-files': { kind: 'text' },
  'cid-profile': { kind: 'text', oneOf: Object.keys(profiles) },
  'cid-version': { kind: 'integer', min: 0, max: 1 },
  'raw-leaves': { kind: 'boolean' },
  hash: { kind: 'text' },
  chunker: { kind: 'text' },
  trickle: { kind: 'boolean' },
  inline: { kind: 'boolean', default: false },
  'inline-limit': { kind: 'integer', min: 0, max: 128 },
  'max-file-links': { kind: 'integer', min: 2, max: 8192 },
  'max-directory-links': { kind: 'integer', min: 0, max: most },
  'max-hamt-fanout': { kind: 'integer', min: 8, max: 1024 },
  'preserve-mode': { kind: 'boolean', default: false },
  'preserve-mtime': { kind: 'boolean', default: false },
  ...metadataOptions,
  progress: { kind: 'boolean', default: false },
  silent: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
  nocopy: { kind: 'refused', reason: 'the service has no access to files of the client' },
  fscache: { kind: 'refused', reason: 'the service has no access to files of the client' },
} as const;

export type AddOptions = OptionValues<typeof addOptions>;

/** How the import is to be done: the profile, what the service is set to, then what the request asks for. */
export function treeOptions(chosen: AddOptions, settings: Settings): TreeOptions {
  const profile = chosen['cid-profile'] ?? settings.STORAGE_CID_PROFILE;
  const version = chosen['cid-version'];
  const { hash, chunker, trickle } = chosen;
  const preserves = chosen['preserve-mode'] || chosen['preserve-mtime'];
  if (preserves && chosen['raw-leaves']) {
    throw new ApiError(400, 'option "raw-leaves" cannot be used with mode or modification time; leave it out');
  }
  return {
    ...(profile !== undefined && isProfileName(profile) && adapted(profiles[profile], chosen)),
    ...(settings.STORAGE_SHARD_BYTES !== undefined && { shardBytes: settings.STORAGE_SHARD_BYTES }),
    ...(settings.STORAGE_SHARD_ESTIMATION !== undefined && { shardEstimation: settings.STORAGE_SHARD_ESTIMATION }),
    ...(version !== undefined && { cidVersion: version === 1 ? (1 as const) : (0 as const) }),
    ...(chosen['raw-leaves'] !== undefined && { rawLeaves: chosen['raw-leaves'] }),
    ...(preserves && { rawLeaves: false }),
    ...(hash !== undefined && { hash }),
    ...(chunker !== undefined && { chunker }),
    ...(trickle !== undefined && { layout: trickle ? ('trickle' as const) : ('balanced' as const) }),
    inline: chosen.inline,
    ...(chosen['inline-limit'] !== undefined && { inlineBytesMax: chosen['inline-limit'] }),
    ...(chosen['max-file-links'] !== undefined && { fileLinksMax: chosen['max-file-links'] }),
    ...(chosen['max-directory-links'] !== undefined && { directoryLinksMax: chosen['max-directory-links'] }),
    ...(chosen['max-hamt-fanout'] !== undefined && { shardFanout: chosen['max-hamt-fanout'] }),
    wrap: chosen['wrap-with-directory'],
  };
}

/** A profile, without what follows from an option that the request sets otherwise. */
function adapted(profile: (typeof profiles)[keyof typeof profiles], chosen: AddOptions): TreeOptions {
  const { rawLeaves, cidVersion, ...rest } = profile;
  const hasMetadata = chosen.mode !== undefined || chosen.mtime !== undefined;
  return {
    ...rest,
    // CIDs of version 0 name sha2-256 only.
    ...((chosen.hash === undefined || cidVersion === 1) && { cidVersion }),
    ...(chosen['cid-version'] === undefined && !hasMetadata && { rawLeaves }),
  };
}

/**
 * Clients in Go send the mode and time of every file that they read, whether they were asked to or not: only
 * `preserve-mode` and `preserve-mtime` say that they are meant. Other clients send what their caller set.
 */
export function sendsEveryMetadata(userAgent: string | undefined): boolean {
  return /^\/?(go-http-client|kubo|go-ipfs|boxo)\b/i.test(userAgent ?? '');
}

/** The mode and time of an entry: those of the request for all, or its own where they are meant. */
export function entryMetadata(chosen: AddOptions, own: UnixfsMetadata, isOwnMeant: boolean): UnixfsMetadata {
  const asked = metadataFrom(chosen);
  const mode = chosen['preserve-mode'] ? own.mode : (asked.mode ?? (isOwnMeant ? own.mode : undefined));
  const mtime = chosen['preserve-mtime'] ? own.mtime : (asked.mtime ?? (isOwnMeant ? own.mtime : undefined));
  return { ...(mode !== undefined && { mode }), ...(mtime !== undefined && { mtime }) };
}
