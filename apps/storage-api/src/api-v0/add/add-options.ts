import { isProfileName, profiles, type TreeOptions, type UnixfsMetadata } from '@cairn/unixfs';
import type { StorageSettings } from '../../settings.ts';
import { ApiError } from '../api-error.ts';
import type { OptionValues } from '../options.ts';
import { modeOfFileMode, type PartMetadata } from '../part-metadata.ts';
import { addHash } from './add-hash.ts';

const [least, most] = [-(2 ** 31), 2 ** 31 - 1];
const wholeMost = Number.MAX_SAFE_INTEGER;

/** Options of `add`, named as in Kubo; `cid-profile` selects a profile of IPIP-499 by name. */
export const addOptions = {
  recursive: { kind: 'boolean', alias: 'r' },
  hidden: { kind: 'boolean', alias: 'H' },
  'empty-dirs': { kind: 'boolean', alias: 'E', default: true },
  quiet: { kind: 'boolean', alias: 'q' },
  quieter: { kind: 'boolean', alias: 'Q' },
  silent: { kind: 'boolean', default: false },
  progress: { kind: 'boolean', alias: 'p', default: false },
  'only-hash': { kind: 'boolean', alias: 'n', default: false },
  'wrap-with-directory': { kind: 'boolean', alias: 'w', default: false },
  pin: { kind: 'boolean', default: true },
  'pin-name': { kind: 'text' },
  'to-files': { kind: 'text' },
  'cid-profile': { kind: 'text', oneOf: Object.keys(profiles) },
  'cid-version': { kind: 'integer', min: least, max: most },
  hash: { kind: 'text' },
  'raw-leaves': { kind: 'boolean' },
  chunker: { kind: 'text', alias: 's' },
  trickle: { kind: 'boolean', alias: 't' },
  'max-file-links': { kind: 'integer', min: least, max: most },
  'max-directory-links': { kind: 'integer', min: least, max: most },
  'max-hamt-fanout': { kind: 'integer', min: least, max: most },
  inline: { kind: 'boolean', default: false },
  'inline-limit': { kind: 'integer', default: 32, min: least, max: most },
  'preserve-mode': { kind: 'boolean', default: false },
  'preserve-mtime': { kind: 'boolean', default: false },
  mode: { kind: 'integer', type: 'uint', default: 0, min: 0, max: 2 ** 32 - 1 },
  mtime: { kind: 'integer', type: 'int64', default: 0, min: -wholeMost, max: wholeMost },
  'mtime-nsecs': { kind: 'integer', type: 'uint', default: 0, min: 0, max: 2 ** 32 - 1 },
  'cid-base': { kind: 'text' },
  'upgrade-cidv0-in-output': { kind: 'boolean' },
  nocopy: { kind: 'boolean', default: false },
  fscache: { kind: 'boolean' },
  'fast-provide-root': { kind: 'boolean' },
  'fast-provide-dag': { kind: 'boolean' },
  'fast-provide-wait': { kind: 'boolean' },
} as const;

export type AddOptions = OptionValues<typeof addOptions>;

const inlineBytesMax = 128;
const pinNameBytesMax = 255;
const nanosecondsMax = 999_999_999;
const fanoutMax = 1024;

/** Refuses the options that Kubo refuses, in its words and its order. @throws ApiError 400 */
function checkAddOptions(chosen: AddOptions): void {
  const { inline, pin, 'inline-limit': inlineLimit, 'pin-name': pinName = '', 'only-hash': onlyHash } = chosen;
  const { mode, mtime, 'mtime-nsecs': nanoseconds, 'to-files': toFiles, 'max-hamt-fanout': fanout = 256 } = chosen;
  const pinNameBytes = Buffer.byteLength(pinName);
  const hasMetadata = chosen['preserve-mode'] || chosen['preserve-mtime'] || mode !== 0 || mtime !== 0;
  const refusals: readonly (readonly [boolean, string])[] = [
    [
      inline && inlineLimit > inlineBytesMax,
      `inline-limit ${inlineLimit} exceeds maximum allowed size of ${inlineBytesMax} bytes`,
    ],
    [pinNameBytes > pinNameBytesMax, `pin name is ${pinNameBytes} bytes (max ${pinNameBytesMax} bytes)`],
    [
      hasMetadata && chosen['raw-leaves'] === true,
      "raw-leaves can't be used with UnixFS metadata like mode or modification time",
    ],
    [onlyHash && toFiles !== undefined, 'only-hash and to-files options are not compatible'],
    [chosen['pin-name'] !== undefined && (!pin || onlyHash), 'pin-name option requires pin to be set'],
    [
      chosen['wrap-with-directory'] && toFiles !== undefined,
      'wrap-with-directory and to-files options are not compatible',
    ],
    [mtime === 0 && nanoseconds !== 0, 'option "mtime-nsecs" requires "mtime" to be provided as well'],
    [nanoseconds > nanosecondsMax, 'mtime nanoseconds must be in range [1, 999999999]'],
    [
      fanout < 8 || fanout > fanoutMax || !Number.isInteger(Math.log2(fanout)),
      `HAMT fanout must be a power of 2, between 8 and ${fanoutMax} (got ${fanout})`,
    ],
    [
      chosen.nocopy && (chosen['raw-leaves'] === false || hasMetadata),
      "nocopy option requires '--raw-leaves' to be enabled as well",
    ],
    [
      chosen.nocopy,
      'either the filestore or the urlstore must be enabled to use nocopy, see: https://github.com/ipfs/kubo/blob/master/docs/experimental-features.md#ipfs-filestore',
    ],
  ];
  const refusal = refusals.find(([isRefused]) => isRefused);
  if (refusal !== undefined) throw new ApiError(400, refusal[1]);
}

/**
 * Combines the options of the import: the profile, then the settings of the service, then the request.
 * @throws ApiError 400
 */
export function treeOptions(chosen: AddOptions, settings: StorageSettings): TreeOptions {
  checkAddOptions(chosen);
  const profile = chosen['cid-profile'] ?? settings.STORAGE_CID_PROFILE;
  const version = chosen['cid-version'];
  const { chunker, trickle } = chosen;
  const hash = addHash(chosen.hash);
  const { mode, mtime } = requestMetadata(chosen);
  const hasMetadata = chosen['preserve-mode'] || chosen['preserve-mtime'] || chosen.mode !== 0 || mtime !== undefined;
  return {
    ...(profile !== undefined && isProfileName(profile) && adapted(profiles[profile], { hash, version, hasMetadata })),
    ...(settings.STORAGE_SHARD_BYTES !== undefined && { shardBytes: settings.STORAGE_SHARD_BYTES }),
    ...(settings.STORAGE_SHARD_ESTIMATION !== undefined && { shardEstimation: settings.STORAGE_SHARD_ESTIMATION }),
    ...(version !== undefined && versionOptions(version, hash)),
    ...(chosen['raw-leaves'] !== undefined && { rawLeaves: chosen['raw-leaves'] }),
    ...(hasMetadata && { rawLeaves: false }),
    ...(hash !== undefined && { hash }),
    ...(chunker !== undefined && chunker !== '' && { chunker }),
    ...(trickle !== undefined && { layout: trickle ? ('trickle' as const) : ('balanced' as const) }),
    inline: chosen.inline && chosen['inline-limit'] >= 0,
    ...(chosen.inline && chosen['inline-limit'] >= 0 && { inlineBytesMax: chosen['inline-limit'] }),
    ...(chosen['max-file-links'] !== undefined && { fileLinksMax: chosen['max-file-links'] }),
    ...(chosen['max-directory-links'] !== undefined && { directoryLinksMax: chosen['max-directory-links'] }),
    ...(chosen['max-hamt-fanout'] !== undefined && { shardFanout: chosen['max-hamt-fanout'] }),
    wrap: chosen['wrap-with-directory'],
    emptyDirectories: chosen['empty-dirs'],
    mode,
    mtime,
  };
}

/**
 * Checks a CID version: version 0 supports sha2-256 only, and no version is negative.
 * @throws ApiError 400, in Kubo's words
 */
function versionOptions(version: number, hash: string | undefined): Pick<TreeOptions, 'cidVersion'> {
  const isDefaultHash = hash === undefined || hash === 'sha2-256';
  if (version > 1 || (version < -1 && !isDefaultHash)) throw new ApiError(400, `unknown CID version: ${version}`);
  if (version < 0) return {};
  return { cidVersion: version === 1 ? 1 : 0 };
}

/** Returns a profile without the parts that an option of the request overrides. */
function adapted(
  profile: (typeof profiles)[keyof typeof profiles],
  asked: { readonly hash: string | undefined; readonly version: number | undefined; readonly hasMetadata: boolean },
): TreeOptions {
  const { rawLeaves, cidVersion, ...rest } = profile;
  return {
    ...rest,
    // CIDs of version 0 support sha2-256 only.
    ...((asked.hash === undefined || cidVersion === 1) && { cidVersion }),
    ...(asked.version === undefined && !asked.hasMetadata && { rawLeaves }),
  };
}

/** Mode and time that the request sets for all entries. As in Kubo, 0 means none. */
function requestMetadata({ mode, mtime, 'mtime-nsecs': nanoseconds }: AddOptions): UnixfsMetadata {
  const kept = modeOfFileMode(mode);
  return {
    ...(kept !== 0 && { mode: kept }),
    ...(mtime !== 0 && { mtime: { seconds: mtime, ...(nanoseconds !== 0 && { nanoseconds }) } }),
  };
}

/**
 * Mode and time of one entry, used with `preserve-mode` and `preserve-mtime` only. Those of the request take
 * precedence.
 */
export function entryMetadata(chosen: AddOptions, { fileMode, mtime }: PartMetadata): UnixfsMetadata {
  const mode = modeOfFileMode(fileMode);
  return {
    ...(chosen['preserve-mode'] && chosen.mode === 0 && mode !== 0 && { mode }),
    ...(chosen['preserve-mtime'] && chosen.mtime === 0 && mtime !== undefined && { mtime }),
  };
}
