import { ProtobufError, ProtobufReader, varintLength, writeVarint } from './protobuf.ts';

/** What a UnixFS node is (https://specs.ipfs.tech/unixfs/). */
export const unixfsTypes = ['raw', 'directory', 'file', 'metadata', 'symlink', 'hamt-sharded-directory'] as const;
export type UnixfsType = (typeof unixfsTypes)[number];

/** The `Data` message inside a dag-pb node. */
export interface UnixfsData {
  readonly type: UnixfsType;
  readonly data?: Uint8Array | undefined;
  /** Bytes of the file below this node; absent for directories. */
  readonly fileSize?: number | undefined;
  /** Bytes of the file below each link, in the order of the links. */
  readonly blockSizes?: readonly number[] | undefined;
}

/** Encodes the message with its fields in ascending order, as Kubo does. */
export function encodeUnixfsData({ type, data, fileSize, blockSizes = [] }: UnixfsData): Uint8Array {
  let length = 2;
  if (data !== undefined) length += 1 + varintLength(data.length) + data.length;
  if (fileSize !== undefined) length += 1 + varintLength(fileSize);
  for (const size of blockSizes) length += 1 + varintLength(size);
  const out = new Uint8Array(length);
  out[0] = 0x08;
  out[1] = unixfsTypes.indexOf(type);
  let at = 2;
  if (data !== undefined) {
    out[at++] = 0x12;
    at = writeVarint(out, at, data.length);
    out.set(data, at);
    at += data.length;
  }
  if (fileSize !== undefined) {
    out[at++] = 0x18;
    at = writeVarint(out, at, fileSize);
  }
  for (const size of blockSizes) {
    out[at++] = 0x20;
    at = writeVarint(out, at, size);
  }
  return out;
}

/** Decodes the message; fields it does not need (mode, mtime, HAMT parameters) are passed over. @throws ProtobufError */
export function decodeUnixfsData(bytes: Uint8Array): UnixfsData {
  const reader = new ProtobufReader(bytes);
  let type: UnixfsType | undefined;
  let data: Uint8Array | undefined;
  let fileSize: number | undefined;
  const blockSizes: number[] = [];
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === 0) type = unixfsTypes[reader.varint()];
    else if (field === 2 && wireType === 2) data = reader.bytes();
    else if (field === 3 && wireType === 0) fileSize = reader.varint();
    else if (field === 4 && wireType === 0) blockSizes.push(reader.varint());
    else if (field === 4 && wireType === 2) {
      const packed = new ProtobufReader(reader.bytes());
      while (!packed.done) blockSizes.push(packed.varint());
    } else reader.skip(wireType);
  }
  if (type === undefined) throw new ProtobufError('its type is unknown');
  return { type, data, fileSize, blockSizes };
}
