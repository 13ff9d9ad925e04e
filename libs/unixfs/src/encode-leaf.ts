// Hot path: most bytes of an upload pass through here. It copies once instead of twice as the general encoders do. Bench:
// import-file.bench.ts. metadata.spec.ts compares it with encodePbNode(encodeUnixfsData(…)).
import type { BufferPool } from '@cairn/blockstore/core';
import { allocateBytes } from '@cairn/platform';
import { varintLength, writeVarint } from './protobuf.ts';
import { type UnixfsType, unixfsTypes } from './unixfs-data.ts';

/** Encodes a leaf without metadata as a dag-pb block, where it is long in a buffer of the pool. */
export function encodeLeaf(type: UnixfsType, chunk: Uint8Array, buffers?: BufferPool): Uint8Array {
  const { length } = chunk;
  const sizeLength = varintLength(length);
  const messageLength = 2 + (length > 0 ? 1 + sizeLength + length : 0) + 1 + sizeLength;
  const blockLength = 1 + varintLength(messageLength) + messageLength;
  const out = buffers?.take(blockLength) ?? allocateBytes(blockLength);
  out[0] = 0x0a;
  let at = writeVarint(out, 1, messageLength);
  out[at++] = 0x08;
  out[at++] = unixfsTypes.indexOf(type);
  if (length > 0) {
    out[at++] = 0x12;
    at = writeVarint(out, at, length);
    out.set(chunk, at);
    at += length;
  }
  out[at++] = 0x18;
  writeVarint(out, at, length);
  return out;
}
