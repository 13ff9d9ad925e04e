import { CID, codecs, digest } from '@cairn/cid';
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
  const reader = new ProtobufReader(prefix);
  const [version, codec, hash, length] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()];
  if (!reader.isAtEnd) throw messageInvalid('a CID prefix has more than four numbers');
  try {
    // -1 encoded by old peers and 0 mean the full digest.
    const multihash = length === 0 || length > 128 ? digest(hash, bytes) : digest(hash, bytes, length);
    if (version === 1) return CID.createV1(codec, multihash);
    if (version === 0 && codec === codecs['dag-pb'] && hash === 0x12 && multihash.digest.length === 32)
      return CID.createV0(multihash as ReturnType<typeof CID.createV0>['multihash']);
  } catch (error) {
    throw messageInvalid(`a CID prefix is not usable (${error instanceof Error ? error.message : String(error)})`);
  }
  throw messageInvalid(`a CID prefix has version ${version} and codec ${codec}`);
}

/** Returns the code of the hash function that a prefix names. @throws BITSWAP_MESSAGE_INVALID */
export function hashCodeFromPrefix(prefix: Uint8Array): number {
  const reader = new ProtobufReader(prefix);
  reader.varint();
  reader.varint();
  return reader.varint();
}
