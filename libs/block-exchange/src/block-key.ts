import type { CID } from '@cairn/cid';

/** Returns a key that all CIDs of a block share. */
export function blockKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
