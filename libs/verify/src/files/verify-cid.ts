import { type CID, parseCid, verifyBytes } from '@cairn/cid';

/** Verifies bytes against a CID. @throws CID_INVALID, BYTES_INVALID, HASH_UNSUPPORTED, BLOCK_CORRUPT */
export function verifyCid(cid: string | CID, bytes: Uint8Array): void {
  verifyBytes(typeof cid === 'string' ? parseCid(cid) : cid, bytes);
}
