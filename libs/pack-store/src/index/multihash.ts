import { CID, codecs } from '@cairn/cid';
import * as Digest from 'multiformats/hashes/digest';

/** Returns the CIDv1 of the raw codec for a multihash. */
export function cidOfMultihash(multihash: Uint8Array): CID {
  return CID.createV1(codecs.raw, Digest.decode(multihash));
}

/** Returns the smallest multihash above another one. */
export function multihashAfter(multihash: Uint8Array): Uint8Array {
  return Buffer.concat([multihash, Buffer.of(0)]);
}

/** Returns the key of a block in a map. */
export function blockKey({ multihash }: CID): string {
  return keyOfMultihash(multihash.bytes);
}

export function keyOfMultihash(multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.byteLength).toString('latin1');
}
