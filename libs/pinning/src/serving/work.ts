import { CID } from '@cairn/cid';

export type Change = 1 | -1;

/** Queued change of the references of a block, or of the children of a node. */
export interface Work {
  readonly kind: 'block' | 'children';
  readonly change: Change;
  /** CID of version 1. */
  readonly cid: CID;
  /** Position of the first child. */
  readonly from: number;
}

/** Encodes kind 1, change 1, from 4 and the CID. */
export function encodeWork({ kind, change, cid, from }: Work): Uint8Array {
  const bytes = Buffer.alloc(6 + cid.bytes.length);
  bytes.writeUInt8(kind === 'block' ? 0 : 1, 0);
  bytes.writeInt8(change, 1);
  bytes.writeUInt32BE(from, 2);
  bytes.set(cid.bytes, 6);
  return bytes;
}

export function decodeWork(encoded: Uint8Array): Work {
  const bytes = Buffer.from(encoded);
  return {
    kind: bytes.readUInt8(0) === 0 ? 'block' : 'children',
    change: bytes.readInt8(1) > 0 ? 1 : -1,
    from: bytes.readUInt32BE(2),
    cid: CID.decode(bytes.subarray(6)),
  };
}
