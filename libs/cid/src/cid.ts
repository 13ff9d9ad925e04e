import { assertBytes, compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import { bases as multibases } from 'multiformats/basics';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { type CodecName, codecs } from './codecs.ts';
import { CorruptBlockError, InvalidCidError, UnknownMultibaseError } from './errors.ts';
import { digest, hashFunction } from './hashes.ts';

export { CID };

/** Longer texts are no CID: a digest of 128 bytes in base2, the longest multibase, with its prefixes stays below. */
export const cidCharactersMax = 1_200;

// `identity` is no text.
const bases = Object.values(multibases).filter((base) => base.name !== 'identity');
const decoders = new Map(bases.map((base) => [base.prefix as string, base]));
const encoders = new Map(bases.map((base) => [base.name as string, base]));
const base58btc = multibases.base58btc;

/**
 * Reads a CID of version 0 or 1 in any multibase (https://github.com/multiformats/cid).
 * @param input text; anything else is refused
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
  // A number written longer than it needs to be would give one content many names.
  const canonical = CID.createV1(cid.code, Digest.create(cid.multihash.code, cid.multihash.digest));
  if (compareBytes(canonical.bytes, bytes) !== 0) throw new InvalidCidError(input, 'its numbers are not minimal');
  return canonical;
}

/** True for text that {@link parseCid} takes. */
export function isCid(input: unknown): input is string {
  try {
    parseCid(input);
    return true;
  } catch {
    return false;
  }
}

/** Prints a CID; version 0 in base58btc always, version 1 in base32 or the multibase named. @throws MULTIBASE_UNKNOWN */
export function formatCid(cid: CID, base = 'base32'): string {
  if (cid.version === 0) return cid.toString();
  const encoder = encoders.get(base);
  if (encoder === undefined) throw new UnknownMultibaseError(base, [...encoders.keys()]);
  return cid.toString(encoder.encoder);
}

export interface CidOptions {
  /** A name of {@link codecs}, or a multicodec code. */
  readonly codec: CodecName | number;
  /** A name of {@link hashes}, or a multicodec code. Default `sha2-256`. */
  readonly hash?: string | number;
  /** Bytes of the digest, where it is to be cut or of a function of extendable output. Default: all of it. */
  readonly digestBytes?: number;
  /** Default 1. Version 0 is dag-pb with sha2-256 only. */
  readonly version?: 0 | 1;
}

/** The CID that names `bytes`. @throws BYTES_INVALID, HASH_UNSUPPORTED, CID_INVALID */
export function cidFor(bytes: Uint8Array, options: CidOptions): CID {
  const code = typeof options.codec === 'number' ? options.codec : codecs[options.codec];
  const multihash = digest(options.hash ?? 'sha2-256', bytes, options.digestBytes);
  if (options.version !== 0) return CID.createV1(code, multihash);
  if (code !== codecs['dag-pb'] || multihash.code !== 0x12) {
    throw new InvalidCidError(options.codec, 'version 0 names dag-pb blocks with sha2-256 only');
  }
  return CID.createV0(multihash as ReturnType<typeof CID.createV0>['multihash']);
}

/**
 * Holds bytes to their name: hashes them and compares. A truncated multihash is compared over its length.
 * @throws BYTES_INVALID; BLOCK_CORRUPT with the multihash expected and the actual one; HASH_UNSUPPORTED
 */
export function verifyBytes(cid: CID, bytes: Uint8Array): void {
  assertBytes(bytes, 'bytes');
  const { multihash } = cid;
  const { compute } = hashFunction(multihash.code);
  const { length } = multihash.digest;
  // The digest of `identity` is the content, whole: cut to the length expected, any longer content would pass.
  const actual = multihash.code === 0 ? bytes : compute(bytes, Math.max(length, 1)).subarray(0, length);
  if ((length > 0 || multihash.code === 0) && compareBytes(multihash.digest, actual) === 0) return;
  throw new CorruptBlockError(cid.toString(), {
    expected: hexDigitsFromBytes(multihash.bytes),
    actual: hexDigitsFromBytes(Digest.create(multihash.code, actual.subarray(0, 128)).bytes),
  });
}
