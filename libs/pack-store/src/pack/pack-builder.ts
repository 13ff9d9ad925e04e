import { createHash, type Hash, randomBytes } from 'node:crypto';
import type { Block, BufferPool } from '@cairn/blockstore';
import { packLimits } from '../limits.ts';
import type { PackEntry } from '../types.ts';
import { encodeTrailer, packHeader, rawSection } from './pack-format.ts';
import { varintLength, writeVarint } from './varint.ts';

/** Buffers start small, since a pack of one small file is common, and grow up to four blocks of 256 KiB with their CIDs. */
const bufferBytesMin = 16 * 1024;
const bufferBytesMax = (1024 + 64) * 1024;

/** A complete pack, ready to be uploaded. */
export interface SealedPack {
  readonly key: string;
  readonly sha256: Uint8Array;
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
}

/**
 * Collects blocks into a pack. Each block is copied once, since a caller's bytes may be a slice of a longer buffer; its copy serves
 * reads until the pack is durable.
 */
export class PackBuilder {
  readonly #buffers: { readonly bytes: Uint8Array; used: number }[] = [];
  readonly #hash: Hash = createHash('sha256');
  readonly #entries: PackEntry[] = [];
  readonly #pool: BufferPool | undefined;
  #length = 0;
  #indexBytes = 0;

  /** @param pool lends the buffers of long packs; see {@link giveBack} */
  constructor(pool?: BufferPool) {
    this.#pool = pool;
    this.#append(packHeader.length).set(packHeader);
    this.#hash.update(packHeader);
  }

  get entries(): readonly PackEntry[] {
    return this.#entries;
  }

  /** Bytes so far, without index and trailer. */
  get length(): number {
    return this.#length;
  }

  /** Reports whether a block still fits. An empty pack takes any block of at most `packBytesMax` with its index. */
  hasRoomFor({ cid, bytes }: Block, packBytes: number): boolean {
    if (this.#entries.length === 0) return true;
    const isFull = this.#entries.length >= packLimits.entriesMax;
    const indexBytes = this.#indexBytes + indexEntryBytes(cid.bytes.length, bytes.length);
    return !isFull && indexBytes <= packLimits.indexBytesMax && this.#length + bytes.length <= packBytes;
  }

  /** Appends a block and returns its copy. */
  add({ cid, bytes }: Block): Uint8Array {
    const sectionBytes = cid.bytes.length + bytes.length;
    const section = this.#append(varintLength(sectionBytes) + sectionBytes);
    const start = writeVarint(section, 0, sectionBytes);
    section.set(cid.bytes, start);
    const copy = section.subarray(start + cid.bytes.length);
    copy.set(bytes);
    this.#hash.update(section);
    this.#entries.push({ cid, offset: this.#length - bytes.length, length: bytes.length });
    this.#indexBytes += indexEntryBytes(cid.bytes.length, bytes.length);
    return copy;
  }

  /** Completes the pack. Another call returns the same blocks under another key. */
  seal(): SealedPack {
    const index = new Uint8Array(this.#indexBytes);
    let position = 0;
    for (const { cid, length } of this.#entries) {
      position = writeVarint(index, position, cid.bytes.length);
      index.set(cid.bytes, position);
      position = writeVarint(index, position + cid.bytes.length, length);
    }
    const trailer = encodeTrailer({
      indexOffset: this.#length,
      indexBytes: index.length,
      entries: this.#entries.length,
      nonce: randomBytes(16),
    });
    const tail = Buffer.concat([rawSection(index), rawSection(trailer)]);
    const sha256 = this.#hash.copy().update(tail).digest();
    const parts = [...this.#buffers.map(({ bytes, used }) => bytes.subarray(0, used)), tail];
    return { key: packKey(sha256), sha256, parts, bytes: this.#length + tail.length };
  }

  /** Gives borrowed buffers back. Neither the pack nor copies of its blocks may be used afterwards. */
  giveBack(): void {
    for (const { bytes } of this.#buffers) this.#pool?.giveBack(bytes);
  }

  /** Returns room for the next bytes of the pack. A section never spans two buffers. */
  #append(length: number): Uint8Array {
    let last = this.#buffers.at(-1);
    if (last === undefined || last.bytes.length - last.used < length) {
      const size = Math.max(length, Math.min(bufferBytesMax, Math.max(bufferBytesMin, this.#length)));
      const lent = size === bufferBytesMax ? this.#pool?.take(size) : undefined;
      last = { bytes: lent ?? Buffer.allocUnsafeSlow(size), used: 0 };
      this.#buffers.push(last);
    }
    const room = last.bytes.subarray(last.used, last.used + length);
    last.used += length;
    this.#length += length;
    return room;
  }
}

/** Key of a pack. */
function packKey(sha256: Uint8Array): string {
  return `packs/${Buffer.from(sha256).toString('hex')}.car`;
}

function indexEntryBytes(cidBytes: number, blockBytes: number): number {
  return varintLength(cidBytes) + cidBytes + varintLength(blockBytes);
}
