import type { CID } from '@cairn/cid';

/** Key of a block: its multihash, since CIDs of both versions and of all codecs name the same bytes. */
export function blockKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
