import { codecs, verifyBytes } from '@cairn/cid';
import type { ObjectStore } from '@cairn/object-store';
import { packCorrupt } from '../errors.ts';
import { packLimits } from '../limits.ts';
import type { PackEntry } from '../types.ts';
import {
  cidOfBytes,
  packHeader,
  packMagic,
  rawSectionHeadBytes,
  type Trailer,
  trailerBytes,
  trailerSectionBytes,
} from './pack-format.ts';
import { readVarint, varintLength } from './varint.ts';

/**
 * Reads where the blocks of a pack are: one request for packs of up to 5,000 blocks, two for others.
 * @throws PACK_CORRUPT for another file, or one that is cut off
 */
export async function readPackEntries(
  objects: ObjectStore,
  pack: { readonly key: string; readonly bytes: number },
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly PackEntry[]> {
  const { key, bytes } = pack;
  const read = (length: number) => objects.get(key, { ...options, range: { offset: bytes - length, length } });
  if (bytes < packHeader.length + trailerSectionBytes) throw packCorrupt(key, 'it is too short');
  const tail = await read(Math.min(bytes, packLimits.tailBytes));
  const trailer = parseTrailer(tail, pack);
  const needed = bytes - trailer.indexOffset;
  return parseIndex(needed <= tail.length ? tail.subarray(tail.length - needed) : await read(needed), trailer, key);
}

/** Parses the trailer at the end of a pack. All its fields are checked against the length of the pack. */
function parseTrailer(tail: Uint8Array, { key, bytes }: { readonly key: string; readonly bytes: number }): Trailer {
  const block = rawBlockOf(tail.subarray(tail.length - trailerSectionBytes), trailerBytes, key);
  if (!Buffer.from(packMagic).equals(block.subarray(0, packMagic.length))) throw packCorrupt(key, 'it has no trailer');
  const view = Buffer.from(block.buffer, block.byteOffset, block.length);
  const indexOffset = Number(view.readBigUInt64BE(16));
  const indexBytes = view.readUInt32BE(24);
  const entries = view.readUInt32BE(28);
  if (indexBytes > packLimits.indexBytesMax || entries > packLimits.entriesMax)
    throw packCorrupt(key, 'its index is longer than allowed');
  if (indexOffset + rawSectionHeadBytes(indexBytes) + indexBytes + trailerSectionBytes !== bytes)
    throw packCorrupt(key, 'its trailer does not match its length');
  return { indexOffset, indexBytes, entries, nonce: block.subarray(32) };
}

/** Parses the index. `tail` begins with its section. */
function parseIndex(tail: Uint8Array, trailer: Trailer, key: string): readonly PackEntry[] {
  const index = rawBlockOf(tail.subarray(0, tail.length - trailerSectionBytes), trailer.indexBytes, key);
  const entries: PackEntry[] = [];
  let position = 0;
  let offset = packHeader.length;
  while (position < index.length) {
    const cidLength = readVarint(index, position);
    if (cidLength === undefined || cidLength.value > packLimits.cidBytesMax)
      throw packCorrupt(key, 'its index has a bad CID');
    const cidEnd = cidLength.end + cidLength.value;
    const cid = cidEnd <= index.length ? cidOfBytes(index.slice(cidLength.end, cidEnd)) : undefined;
    const length = readVarint(index, cidEnd);
    if (cid === undefined || length === undefined) throw packCorrupt(key, 'its index is cut off');
    offset += varintLength(cidLength.value + length.value) + cidLength.value;
    entries.push({ cid, offset, length: length.value });
    offset += length.value;
    position = length.end;
  }
  if (entries.length !== trailer.entries || offset !== trailer.indexOffset)
    throw packCorrupt(key, 'its index does not match its length');
  return entries;
}

/** Multicodec of SHA-256. */
const sha256Code = 0x12;

/** Returns the block of a section that {@link rawSection} made, after comparing it with its CID. */
function rawBlockOf(section: Uint8Array, blockBytes: number, key: string): Uint8Array {
  const length = readVarint(section, 0);
  if (length === undefined || length.end + length.value !== section.length)
    throw packCorrupt(key, 'a section is damaged');
  const block = section.subarray(section.length - blockBytes);
  const cid = cidOfBytes(section.slice(length.end, section.length - blockBytes));
  const isRaw = cid?.version === 1 && cid.code === codecs.raw && cid.multihash.code === sha256Code;
  if (!isRaw) throw packCorrupt(key, 'a section has a bad CID');
  try {
    verifyBytes(cid, block);
  } catch (error) {
    throw packCorrupt(key, 'a section differs from its CID', error);
  }
  return block;
}
