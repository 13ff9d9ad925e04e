/** What the index of the LMDB store says of a block. */
export interface IndexRecord {
  /** Its key among the blocks, 8 bytes. */
  readonly id: Uint8Array;
  /** Bytes. */
  readonly length: number;
  /** When it was last put or touched: seconds since 1970, and the collection cycle of that time. */
  readonly touchedAt: number;
  readonly touchedIn: number;
  /** The last cycle that marked it, and the codec it was marked as. */
  readonly mark: number;
  readonly markedAs: number;
  /** Who put it, if it was one owner only; else 0. */
  readonly owner: number;
  readonly isQuarantined: boolean;
  /** Whether some owner claims it. */
  readonly isClaimed: boolean;
}

const recordBytes = 35;
const flags = { quarantined: 1, claimed: 2 } as const;

/** 35 bytes: id 8, length 4, touchedAt 4, touchedIn 4, mark 4, markedAs 4, flags 1, owner 6; integers unsigned, big-endian. */
export function encodeRecord(record: IndexRecord): Uint8Array {
  const bytes = Buffer.alloc(recordBytes);
  bytes.set(record.id);
  bytes.writeUInt32BE(record.length, 8);
  bytes.writeUInt32BE(record.touchedAt, 12);
  bytes.writeUInt32BE(record.touchedIn, 16);
  bytes.writeUInt32BE(record.mark, 20);
  bytes.writeUInt32BE(record.markedAs, 24);
  bytes.writeUInt8((record.isQuarantined ? flags.quarantined : 0) | (record.isClaimed ? flags.claimed : 0), 28);
  bytes.writeUIntBE(record.owner, 29, 6);
  return bytes;
}

/** Reads a record; one of 12 bytes, as version 0.1 wrote them, was never touched nor marked. */
export function decodeRecord(bytes: Uint8Array): IndexRecord {
  const record = Buffer.alloc(recordBytes);
  record.set(bytes.subarray(0, recordBytes));
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
  };
}

/** The id of the block with this running number. */
export function blockId(number: bigint): Uint8Array {
  const id = Buffer.alloc(8);
  id.writeBigUInt64BE(number);
  return id;
}
