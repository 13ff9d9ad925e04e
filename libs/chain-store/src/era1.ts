/// <reference path="./snappyjs.d.ts" />
import { decodeRlp, encodeRlp } from '@cairn/block-model';
import snappy from 'snappyjs';
import type { ByteReader } from './byte-reader.ts';
import { maskedCrc32c } from './crc32c.ts';
import { SourceError } from './errors.ts';
import { blockBytesMax } from './rlp-blocks.ts';

const types = { header: 0x03, body: 0x04 } as const;

/**
 * Reads the blocks of an era1 file: e2store records of type, length and payload, with headers and bodies in framed snappy
 * (https://github.com/eth-clients/e2store-format-specs/blob/main/formats/era1.md). Checksums of frames are verified.
 * Receipts, difficulties and the accumulator are skipped: the importer computes them.
 * @throws SOURCE_INVALID
 */
export async function* readEra1Blocks(reader: ByteReader, file: string): AsyncGenerator<Uint8Array> {
  let header: Uint8Array | undefined;
  while ((await reader.peek()) !== undefined) {
    const at = reader.position;
    const head = Buffer.from(await reader.take(8));
    const [type, length] = [head.readUInt16LE(0), head.readUInt32LE(2)];
    if (length > blockBytesMax)
      throw new SourceError(file, `at byte ${at} a record claims to be longer than ${blockBytesMax} bytes`);
    const payload = await reader.take(length);
    if (type === types.header) header = unframe(payload, file, at);
    else if (type === types.body) {
      if (header === undefined) throw new SourceError(file, `at byte ${at} a body has no header before it`);
      yield joinRlp(header, unframe(payload, file, at));
      header = undefined;
    }
  }
}

function joinRlp(header: Uint8Array, body: Uint8Array): Uint8Array {
  const items = decodeRlp('block body', body);
  return encodeRlp([decodeRlp('block header', header), ...(items instanceof Uint8Array ? [items] : items)]);
}

/** Decompresses snappy frames (https://github.com/google/snappy/blob/main/framing_format.txt). */
function unframe(bytes: Uint8Array, file: string, at: number): Uint8Array {
  const frames = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let offset = 0; offset < frames.length; ) {
    if (offset + 4 > frames.length) throw new SourceError(file, `the record at byte ${at} ends within a snappy frame`);
    const type = frames[offset] ?? 0;
    const end = offset + 4 + frames.readUIntLE(offset + 1, 3);
    if (end > frames.length) throw new SourceError(file, `the record at byte ${at} ends within a snappy frame`);
    if (type === 0x00 || type === 0x01) {
      // Compressed and uncompressed frames begin with a checksum of the uncompressed data.
      const data = frames.subarray(offset + 8, end);
      const part = type === 0x00 ? uncompress(data, file, at) : data;
      if (end < offset + 8 || maskedCrc32c(part) !== frames.readUInt32LE(offset + 4))
        throw new SourceError(file, `the record at byte ${at} has a snappy frame that does not match its checksum`);
      parts.push(part);
      total += part.length;
      if (total > blockBytesMax)
        throw new SourceError(file, `the record at byte ${at} decompresses to more than ${blockBytesMax} bytes`);
    } else if (type < 0x80)
      throw new SourceError(file, `the record at byte ${at} has a snappy frame of unknown type ${type}`);
    offset = end;
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

function uncompress(data: Uint8Array, file: string, at: number): Uint8Array {
  try {
    return snappy.uncompress(data, 65_536);
  } catch (error) {
    throw new SourceError(file, `the record at byte ${at} does not decompress`, error);
  }
}
