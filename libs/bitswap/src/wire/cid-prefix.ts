import { CID, codecs, digest, digestInBackground, type MultihashDigest } from '@cairn/cid';
import { messageInvalid } from '../errors.ts';
import type { Payload } from './message.ts';
import { ProtobufReader, varintLength, writeVarint } from './varint.ts';

/** Prefix of a CID: version, codec, hash function and digest length, as varints. */
export function prefixFromCid(cid: CID): Uint8Array {
  const values = [cid.version, cid.code, cid.multihash.code, cid.multihash.digest.length];
  const bytes = new Uint8Array(values.reduce((sum, value) => sum + varintLength(value), 0));
  let at = 0;
  for (const value of values) at = writeVarint(bytes, value, at);
  return bytes;
}

/**
 * Computes the CID of a received block from its bytes. The sender names only the hash function, so that a CID can not be
 * claimed.
 * @throws BITSWAP_MESSAGE_INVALID for an unknown hash function, a digest length out of bounds or a wrong version
 */
export function cidFromPayload({ prefix, bytes }: Payload): CID {
  const parts = partsFromPrefix(prefix);
  return usable(() => cidFrom(parts, digest(parts.hash, bytes, parts.length)));
}

/** Computes the CID of a block as {@link cidFromPayload} does. Long blocks are hashed in another thread. @throws BITSWAP_MESSAGE_INVALID */
export async function cidFromPayloadInBackground({ prefix, bytes }: Payload): Promise<CID> {
  const parts = partsFromPrefix(prefix);
  const multihash = await digestInBackground(parts.hash, bytes, parts.length).catch((error: unknown) => {
    throw unusable(error);
  });
  return usable(() => cidFrom(parts, multihash));
}

/** Returns the code of the hash function that a prefix names. @throws BITSWAP_MESSAGE_INVALID */
export function hashCodeFromPrefix(prefix: Uint8Array): number {
  const reader = new ProtobufReader(prefix);
  reader.varint();
  reader.varint();
  return reader.varint();
}

interface PrefixParts {
  readonly version: number;
  readonly codec: number;
  readonly hash: number;
  /** Undefined: the full digest. */
  readonly length: number | undefined;
}

function partsFromPrefix(prefix: Uint8Array): PrefixParts {
  const reader = new ProtobufReader(prefix);
  const [version, codec, hash, length] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()];
  if (!reader.isAtEnd) throw messageInvalid('a CID prefix has more than four numbers');
  // -1 encoded by old peers and 0 mean the full digest.
  return { version, codec, hash, length: length === 0 || length > 128 ? undefined : length };
}

function cidFrom({ version, codec, hash }: PrefixParts, multihash: MultihashDigest): CID {
  if (version === 1) return CID.createV1(codec, multihash);
  if (version === 0 && codec === codecs['dag-pb'] && hash === 0x12 && multihash.digest.length === 32)
    return CID.createV0(multihash as ReturnType<typeof CID.createV0>['multihash']);
  throw new RangeError(`it has version ${version} and codec ${codec}`);
}

function usable<T>(create: () => T): T {
  try {
    return create();
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): Error {
  return messageInvalid(`a CID prefix is not usable (${error instanceof Error ? error.message : String(error)})`);
}
