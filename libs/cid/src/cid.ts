import { compareBytes } from '@cairn/platform';
import { bases as multibases } from 'multiformats/basics';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { type CodecName, codecs } from './codecs.ts';
import { digestInBackground } from './digest-in-background.ts';
import { InvalidCidError, InvalidCidOptionError, UnknownMultibaseError } from './errors.ts';
import { digest, type MultihashDigest } from './hashes.ts';

export { CID };

/** Limit of the text of a CID. A digest of 128 bytes in base2, the longest multibase, stays below it. */
export const cidCharactersMax = 1_200;

// `identity` is excluded: it is not text.
const bases = Object.values(multibases).filter((base) => base.name !== 'identity');
const decoders = new Map(bases.map((base) => [base.prefix as string, base]));
const encoders = new Map(bases.map((base) => [base.name as string, base]));
const base58btc = multibases.base58btc;

/**
 * Parses a CID of version 0 or 1 in any multibase (https://github.com/multiformats/cid).
 * @param input text; any other type is refused
 * @throws CID_INVALID
 */
export function parseCid(input: unknown): CID {
  if (typeof input !== 'string') throw new InvalidCidError(input, 'expected text');
  if (input.length < 2) throw new InvalidCidError(input, 'cid too short');
  if (input.length > cidCharactersMax)
    throw new InvalidCidError(input, `it is longer than ${cidCharactersMax} characters`);
  if (input.length === 46 && input.startsWith('Qm')) return parseWith(input, () => CID.parse(input, base58btc.decoder));
  const base = decoders.get(String.fromCodePoint(input.codePointAt(0) ?? 0));
  if (base === undefined) throw new InvalidCidError(input, 'selected encoding not supported');
  return parseWith(input, () => parseVersion1(input, base.decoder.decode(input)));
}

function parseWith(input: string, parse: () => CID): CID {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidCidError) throw error;
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'it does not decode';
    throw new InvalidCidError(input, reason, error);
  }
}

function parseVersion1(input: string, bytes: Uint8Array): CID {
  const cid = CID.decode(bytes);
  if (cid.version !== 1) throw new InvalidCidError(input, 'version 0 is written without a multibase prefix');
  // Refuses non-minimal numbers, since they would give the same content several CIDs.
  const canonical = CID.createV1(cid.code, Digest.create(cid.multihash.code, cid.multihash.digest));
  if (compareBytes(canonical.bytes, bytes) !== 0) throw new InvalidCidError(input, 'its numbers are not minimal');
  return canonical;
}

/** Reports whether {@link parseCid} accepts the input. */
export function isCid(input: unknown): input is string {
  try {
    parseCid(input);
    return true;
  } catch {
    return false;
  }
}

/** Formats a CID: version 0 always in base58btc, version 1 in base32 or the given multibase. @throws MULTIBASE_UNKNOWN */
export function formatCid(cid: CID, base = 'base32'): string {
  if (cid.version === 0) return cid.toString();
  const encoder = encoders.get(base);
  if (encoder === undefined) throw new UnknownMultibaseError(base, [...encoders.keys()]);
  return cid.toString(encoder.encoder);
}

export interface CidOptions {
  /** Name from {@link codecs}, or a multicodec code. */
  readonly codec: CodecName | number;
  /** Name from {@link hashes}, or a multicodec code. Default: `sha2-256`. */
  readonly hash?: string | number;
  /** Length of the digest in bytes, to truncate it or for an extendable-output function. Default: the full digest. */
  readonly digestBytes?: number;
  /** Default: 1. Version 0 requires dag-pb and sha2-256. */
  readonly version?: 0 | 1;
}

/** Computes the CID of `bytes`. @throws BYTES_INVALID, HASH_UNSUPPORTED, CID_INVALID */
export function cidFor(bytes: Uint8Array, options: CidOptions): CID {
  return cidWith(digest(options.hash ?? 'sha2-256', bytes, options.digestBytes), options);
}

/**
 * Computes the CID of `bytes` as {@link cidFor} does, of long bytes in another thread where the platform has one free, so that other
 * work continues meanwhile. The caller must not change the bytes before the call resolves.
 * @throws BYTES_INVALID, HASH_UNSUPPORTED, CID_INVALID
 */
export async function cidInBackground(bytes: Uint8Array, options: CidOptions): Promise<CID> {
  return cidWith(await digestInBackground(options.hash ?? 'sha2-256', bytes, options.digestBytes), options);
}

function cidWith(multihash: MultihashDigest, { codec, version = 1 }: CidOptions): CID {
  const code = codecCode(codec);
  if (version === 1) return CID.createV1(code, multihash);
  if (version !== 0) throw new InvalidCidOptionError('version', version, '0 or 1');
  if (code !== codecs['dag-pb'] || multihash.code !== 0x12) {
    throw new InvalidCidError(codec, 'version 0 names dag-pb blocks with sha2-256 only');
  }
  return CID.createV0(multihash as ReturnType<typeof CID.createV0>['multihash']);
}

function codecCode(codec: CodecName | number): number {
  const code = typeof codec === 'number' ? codec : Object.hasOwn(codecs, codec) ? codecs[codec] : undefined;
  if (code !== undefined && Number.isSafeInteger(code) && code >= 0) return code;
  throw new InvalidCidOptionError('codec', codec, 'a name in `codecs`, or the number of a multicodec');
}
