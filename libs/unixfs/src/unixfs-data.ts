import { runSync } from '@cairn/blockstore/core';
import { int64Bytes, ProtobufError, ProtobufReader, varintLength, writeVarint } from './protobuf.ts';

/** Types of UnixFS nodes in the order of their numbers (https://specs.ipfs.tech/unixfs/). */
export const unixfsTypes = ['raw', 'directory', 'file', 'metadata', 'symlink', 'hamt-sharded-directory'] as const;
export type UnixfsType = (typeof unixfsTypes)[number];

/** Point in time of UnixFS 1.5. */
export interface UnixfsTime {
  /** Seconds since 1970 in UTC; negative for earlier times. */
  readonly seconds: number;
  /** 0 to 999,999,999. 0 is not encoded. */
  readonly nanoseconds?: number;
}

/** Optional metadata of a file, directory or symlink (UnixFS 1.5). */
export interface UnixfsMetadata {
  /** Low twelve bits of a POSIX mode: permissions, sticky, setgid and setuid. 0 is not encoded. */
  readonly mode?: number | undefined;
  readonly mtime?: UnixfsTime | undefined;
}

/** `Data` message of a dag-pb node. */
export interface UnixfsData extends UnixfsMetadata {
  readonly type: UnixfsType;
  readonly data?: Uint8Array | undefined;
  /** Bytes of the file in and below this node. Absent for directories. */
  readonly fileSize?: number | undefined;
  /** Bytes of the file below each link, in the order of the links. */
  readonly blockSizes?: readonly number[] | undefined;
  /** Multicodec code of the hash function of a sharded directory. */
  readonly hashType?: number | undefined;
  /** Fanout of a shard. */
  readonly fanout?: number | undefined;
}

/** Encodes the message with its fields in ascending order, as Kubo does. */
export function encodeUnixfsData(message: UnixfsData): Uint8Array {
  const { type, data, fileSize, blockSizes = [] } = message;
  const trailer = encodeTrailer(message);
  let length = 2;
  if (data !== undefined) length += 1 + varintLength(data.length) + data.length;
  if (fileSize !== undefined) length += 1 + varintLength(fileSize);
  for (const size of blockSizes) length += 1 + varintLength(size);
  const out = new Uint8Array(length + trailer.length);
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
  out.set(trailer, at);
  return out;
}

/** Encodes the fields that few nodes have: hash type, fanout, mode and time. */
function encodeTrailer({ hashType, fanout, mode, mtime }: UnixfsData): readonly number[] {
  if (hashType === undefined && fanout === undefined && !mode && mtime === undefined) return [];
  const out: number[] = [];
  if (hashType !== undefined) out.push(0x28, ...int64Bytes(hashType));
  if (fanout !== undefined) out.push(0x30, ...int64Bytes(fanout));
  if (mode) out.push(0x38, ...int64Bytes(mode));
  if (mtime !== undefined) {
    const { seconds, nanoseconds = 0 } = mtime;
    const time = [0x08, ...int64Bytes(seconds)];
    if (nanoseconds > 0) {
      time.push(0x15, nanoseconds & 255, (nanoseconds >>> 8) & 255, (nanoseconds >>> 16) & 255, nanoseconds >>> 24);
    }
    out.push(0x42, time.length, ...time);
  }
  return out;
}

const sizesPerStep = 1024;

/** Decodes the message synchronously, for blocks that are known to be short. @throws ProtobufError */
export function decodeUnixfsData(bytes: Uint8Array): UnixfsData {
  return runSync(unixfsDataSteps(bytes));
}

/** Decodes the message, and yields after some block sizes. Unknown fields are skipped. @throws ProtobufError */
export function* unixfsDataSteps(bytes: Uint8Array): Generator<undefined, UnixfsData> {
  const reader = new ProtobufReader(bytes);
  let type: UnixfsType | undefined;
  let data: Uint8Array | undefined;
  let fileSize: number | undefined;
  const blockSizes: number[] = [];
  let hashType: number | undefined;
  let fanout: number | undefined;
  let mode: number | undefined;
  let mtime: UnixfsTime | undefined;
  for (let fields = 1; !reader.done; fields++) {
    if (fields % sizesPerStep === 0) yield;
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === 0) type = unixfsTypes[reader.varint()];
    else if (field === 2 && wireType === 2) data = reader.bytes();
    else if (field === 3 && wireType === 0) fileSize = reader.varint();
    else if (field === 4 && wireType === 0) blockSizes.push(reader.varint());
    else if (field === 4 && wireType === 2) {
      const packed = new ProtobufReader(reader.bytes());
      while (!packed.done) {
        blockSizes.push(packed.varint());
        if (blockSizes.length % sizesPerStep === 0) yield;
      }
    } else if (field === 5 && wireType === 0) hashType = reader.varint();
    else if (field === 6 && wireType === 0) fanout = reader.varint();
    else if (field === 7 && wireType === 0) mode = reader.varint();
    else if (field === 8 && wireType === 2) mtime = decodeTime(reader.bytes());
    else reader.skip(wireType);
  }
  if (type === undefined) throw new ProtobufError('its type is unknown');
  return { type, data, fileSize, blockSizes, hashType, fanout, mode, mtime };
}

function decodeTime(bytes: Uint8Array): UnixfsTime {
  const reader = new ProtobufReader(bytes);
  let seconds = 0;
  let nanoseconds = 0;
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === 0) seconds = reader.int64();
    else if (field === 2 && wireType === 5) nanoseconds = reader.fixed32();
    else reader.skip(wireType);
  }
  return { seconds, nanoseconds };
}
