/** Record of a block in the index of the LMDB store. */
export interface IndexRecord {
  /** Key of the bytes in the table of blocks, 8 bytes. */
  readonly id: Uint8Array;
  /** Length of the block in bytes. */
  readonly length: number;
  /** Time of the last put or touch, in seconds since 1970. */
  readonly touchedAt: number;
  /** Collection cycle of the last put or touch. */
  readonly touchedIn: number;
  /** The last cycle that marked the block. */
  readonly mark: number;
  /** Codec of that mark. */
  readonly markedAs: number;
  /** The only owner that has put or touched the block; 0 for several owners or none. */
  readonly owner: number;
  readonly isQuarantined: boolean;
  /** True while an owner claims the block. */
  readonly isClaimed: boolean;
  /** True where the block is known to have no links as dag-pb. Records of version 0.1 and of older releases do not know it. */
  readonly isPbLeaf: boolean;
}

const recordBytes = 35;
const flags = { quarantined: 1, claimed: 2, pbLeaf: 4 } as const;

/** Encodes 35 bytes: id 8, length 4, touchedAt 4, touchedIn 4, mark 4, markedAs 4, flags 1, owner 6. Big-endian, unsigned. */
export function encodeRecord(record: IndexRecord): Uint8Array {
  // Each byte is written below. Memory of the pool takes half of the heap of a new array.
  const bytes = Buffer.allocUnsafe(recordBytes);
  bytes.set(record.id);
  bytes.writeUInt32BE(record.length, 8);
  bytes.writeUInt32BE(record.touchedAt, 12);
  bytes.writeUInt32BE(record.touchedIn, 16);
  bytes.writeUInt32BE(record.mark, 20);
  bytes.writeUInt32BE(record.markedAs, 24);
  const flagged =
    (record.isQuarantined ? flags.quarantined : 0) |
    (record.isClaimed ? flags.claimed : 0) |
    (record.isPbLeaf ? flags.pbLeaf : 0);
  bytes.writeUInt8(flagged, 28);
  bytes.writeUIntBE(record.owner, 29, 6);
  return bytes;
}

/** Decodes a record. Version 0.1 wrote 12 bytes, id and length; the other fields of such a record are 0. */
export function decodeRecord(bytes: Uint8Array): IndexRecord {
  const record =
    bytes.length >= recordBytes
      ? Buffer.from(bytes.buffer, bytes.byteOffset, recordBytes)
      : Buffer.concat([bytes], recordBytes);
  const flagged = record.readUInt8(28);
  return {
    id: record.subarray(0, 8),
    length: record.readUInt32BE(8),
    touchedAt: record.readUInt32BE(12),
    touchedIn: record.readUInt32BE(16),
    mark: record.readUInt32BE(20),
    markedAs: record.readUInt32BE(24),
    owner: record.readUIntBE(29, 6),
    isQuarantined: (flagged & flags.quarantined) !== 0,
    isClaimed: (flagged & flags.claimed) !== 0,
    isPbLeaf: (flagged & flags.pbLeaf) !== 0,
  };
}

/** Encodes the sequence number of a block as its id. */
export function blockId(number: bigint): Uint8Array {
  const id = Buffer.allocUnsafe(8);
  id.writeBigUInt64BE(number);
  return id;
}
