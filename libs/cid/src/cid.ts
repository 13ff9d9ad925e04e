import { base16, base16upper } from 'multiformats/bases/base16';
import { base32, base32hex, base32hexupper, base32upper, base32z } from 'multiformats/bases/base32';
import { base36, base36upper } from 'multiformats/bases/base36';
import { base58btc, base58flickr } from 'multiformats/bases/base58';
import { base64, base64pad, base64url, base64urlpad } from 'multiformats/bases/base64';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { type CodecName, codecs } from './codecs.ts';
import { CorruptBlockError, InvalidCidError } from './errors.ts';
import { digest, hashFunction } from './hashes.ts';

export { CID };

/** Longer texts are no CID: 128 bytes of identity content in base16 with its prefixes stay below this. */
export const cidCharactersMax = 512;

const bases = [
  base58btc,
  base32,
  base36,
  base16,
  base64url,
  base32upper,
  base32hex,
  base32hexupper,
  base32z,
  base36upper,
  base58flickr,
  base16upper,
  base64,
  base64pad,
  base64urlpad,
];
const decoders = new Map(bases.map((base) => [base.prefix as string, base]));
const encoders = new Map(bases.map((base) => [base.name as string, base]));

/**
 * Reads a CID of version 0 or 1 in any multibase (https://github.com/multiformats/cid).
 * @param input text; anything else is refused
 * @throws CID_INVALID
 */
export function parseCid(input: unknown): CID {
  if (typeof input !== 'string') throw new InvalidCidError(input, 'expected text');
  if (input.length < 2) throw new InvalidCidError(input, 'it is too short');
  if (input.length > cidCharactersMax)
    throw new InvalidCidError(input, `it is longer than ${cidCharactersMax} characters`);
  const isVersion0 = input.length === 46 && input.startsWith('Qm');
  const base = isVersion0 ? base58btc : decoders.get(input[0] ?? '');
  if (base === undefined) throw new InvalidCidError(input, `no multibase starts with "${input[0]}"`);
  try {
    return isVersion0 ? CID.parse(input) : parseVersion1(input, base.decoder.decode(input));
  } catch (error) {
    if (error instanceof InvalidCidError) throw error;
    throw new InvalidCidError(
      input,
      error instanceof Error ? error.message.replace(/\.$/, '') : 'it does not decode',
      error,
    );
  }
}

function parseVersion1(input: string, bytes: Uint8Array): CID {
  const cid = CID.decode(bytes);
  if (cid.version !== 1) throw new InvalidCidError(input, 'version 0 is written without a multibase prefix');
  return cid;
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

/** Prints a CID; version 0 in base58btc always, version 1 in base32 or the multibase named. @throws CID_INVALID */
export function formatCid(cid: CID, base = 'base32'): string {
  if (cid.version === 0) return cid.toString();
  const encoder = encoders.get(base);
  if (encoder === undefined)
    throw new InvalidCidError(base, `it is not a multibase; known are ${[...encoders.keys()].join(', ')}`);
  return cid.toString(encoder.encoder);
}

export interface CidOptions {
  /** A name of {@link codecs}, or a multicodec code. */
  readonly codec: CodecName | number;
  /** A name of {@link hashes}, or a multicodec code. Default `sha2-256`. */
  readonly hash?: string | number;
  /** Default 1. Version 0 is dag-pb with sha2-256 only. */
  readonly version?: 0 | 1;
}

/** The CID that names `bytes`. @throws HASH_UNSUPPORTED, CID_INVALID */
export function cidFor(bytes: Uint8Array, options: CidOptions): CID {
  const code = typeof options.codec === 'number' ? options.codec : codecs[options.codec];
  const multihash = digest(options.hash ?? 'sha2-256', bytes);
  if (options.version !== 0) return CID.createV1(code, multihash);
  if (code !== codecs['dag-pb'] || multihash.code !== 0x12) {
    throw new InvalidCidError(options.codec, 'version 0 names dag-pb blocks with sha2-256 only');
  }
  return CID.createV0(multihash as ReturnType<typeof CID.createV0>['multihash']);
}

/**
 * Holds bytes to their name: hashes them and compares. A truncated multihash is compared over its length.
 * @throws BLOCK_CORRUPT with the multihash expected and the actual one; HASH_UNSUPPORTED
 */
export function verifyBytes(cid: CID, bytes: Uint8Array): void {
  const { multihash } = cid;
  const full = hashFunction(multihash.code).compute(bytes);
  const isTruncated = multihash.digest.length < full.length && multihash.code !== 0;
  const actual = isTruncated ? full.subarray(0, multihash.digest.length) : full;
  if (multihash.digest.length > 0 || multihash.code === 0) {
    if (Buffer.compare(multihash.digest, actual) === 0) return;
  }
  throw new CorruptBlockError(cid.toString(), {
    expected: Buffer.from(multihash.bytes).toString('hex'),
    actual: Buffer.from(Digest.create(multihash.code, actual).bytes.subarray(0, 80)).toString('hex'),
  });
}
