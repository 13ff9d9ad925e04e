import { CID, cidFor } from '@cairn/cid';
import { varintLength, writeVarint } from './varint.ts';

/**
 * Layout of a pack, a CAR file of version 1 (https://ipld.io/specs/transport/car/carv1/) without roots:
 *
 * header | section of each block | section of the index | section of the trailer
 *
 * Index and trailer are blocks of the codec `raw`, named by their SHA-256, so that a CAR reader takes them as blocks. The index has
 * for each block, in order: length of the CID (varint), CID, length of the block (varint). Blocks follow each other without gaps,
 * so that their offsets result from the lengths. The trailer has a fixed length; see {@link trailerFields}.
 */
export const packHeader: Uint8Array = Uint8Array.from([
  // Length, then CBOR of { roots: [], version: 1 }.
  ...[17, 0xa2, 0x65, ...Buffer.from('roots'), 0x80, 0x67, ...Buffer.from('version'), 0x01],
]);

/** Name and version of the layout. */
export const packMagic: Uint8Array = Buffer.from('cairn pack v1\n\0\0');

/**
 * Bytes of the trailer block: magic (16), offset of the section of the index (8), length of the index block (4), number of blocks
 * (4), and a random number (16). Numbers are big-endian. The random number makes each pack a new object, although it may have the
 * blocks of an earlier one: collection may be deleting the earlier one.
 */
export const trailerBytes = 48;

/** Bytes of a CIDv1 with SHA-256 and the codec `raw`. */
const rawCidBytes = 36;

/** Length of the trailer's section, at the end of each pack: varint, CID, block. */
export const trailerSectionBytes = 1 + rawCidBytes + trailerBytes;

export interface Trailer {
  readonly indexOffset: number;
  readonly indexBytes: number;
  readonly entries: number;
  readonly nonce: Uint8Array;
}

/** Returns the bytes of a trailer block. */
export function encodeTrailer({ indexOffset, indexBytes, entries, nonce }: Trailer): Uint8Array {
  const bytes = Buffer.alloc(trailerBytes);
  bytes.set(packMagic, 0);
  bytes.writeBigUInt64BE(BigInt(indexOffset), 16);
  bytes.writeUInt32BE(indexBytes, 24);
  bytes.writeUInt32BE(entries, 28);
  bytes.set(nonce, 32);
  return bytes;
}

/** Returns the section of a block that its SHA-256 names: length, CID, bytes. */
export function rawSection(bytes: Uint8Array): Uint8Array {
  const cid = cidFor(bytes, { codec: 'raw' }).bytes;
  const length = cid.length + bytes.length;
  const section = new Uint8Array(varintLength(length) + length);
  const start = writeVarint(section, 0, length);
  section.set(cid, start);
  section.set(bytes, start + cid.length);
  return section;
}

/** Length of the section of the index before its block. */
export function rawSectionHeadBytes(blockBytes: number): number {
  return varintLength(rawCidBytes + blockBytes) + rawCidBytes;
}

/** Decodes a CID that fills the bytes, or returns undefined. */
export function cidOfBytes(bytes: Uint8Array): CID | undefined {
  try {
    return CID.decode(bytes);
  } catch {
    return undefined;
  }
}
