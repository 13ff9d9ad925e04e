import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { CID } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { varint } from 'multiformats';
import {
  cidBytes,
  decodeManifest,
  type Manifest,
  rawCode,
  type Section,
  sections,
  snapshotLimits,
} from './manifest.ts';
import { damagedSnapshot, SnapshotError } from './snapshot-error.ts';

/** Position of a block of the CAR. */
interface Frame {
  /** Offset of the data, after the CID. */
  readonly offset: number;
  readonly length: number;
  readonly codec: number;
  readonly digest: Buffer;
  /** Offset of the next block. */
  readonly end: number;
}

/** CID prefixes: version 1, codec, SHA-256 of 32 bytes. */
const cidPrefix = (codec: number) => Buffer.of(1, codec, 0x12, 32);
const prefixes = [rawCode, dagCbor.code].map((codec) => ({ codec, bytes: cidPrefix(codec) }));
/** A header with one root has 59 bytes. */
const headerBytesMax = 1024;
const lengthBytesMax = 9;
/** Bytes of an offset, a length and a digest in the table of chunks. */
const entryBytes = 8 + 4 + 32;

/**
 * A snapshot whose structure was verified: header, manifest, index, and the CID of each chunk. The content of a chunk is verified
 * when it is read. Memory: 44 bytes for each chunk of a megabyte.
 */
export class SnapshotFile {
  readonly path: string;
  readonly manifest: Manifest;
  readonly root: string;
  readonly bytes: number;
  readonly #file: FileHandle;
  readonly #table: Buffer;

  private constructor(path: string, file: FileHandle, found: Survey) {
    this.path = path;
    this.#file = file;
    this.manifest = found.manifest;
    this.root = found.root.toString();
    this.bytes = found.bytes;
    this.#table = found.table;
  }

  /** Opens a file. Reads the position of each block, so that a truncated file is refused first. @throws SNAPSHOT_DAMAGED, SNAPSHOT_INVALID, SNAPSHOT_VERSION_UNSUPPORTED */
  static async open(path: string): Promise<SnapshotFile> {
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      throw new SnapshotError(
        'SNAPSHOT_UNREADABLE',
        `The snapshot ${path} cannot be opened (${(error as { readonly code?: string }).code}).`,
        error,
      );
    }
    try {
      return new SnapshotFile(path, file, await new Surveyor(path, file).survey());
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get chunks(): number {
    return this.#table.length / entryBytes;
  }

  /** Returns the range of chunks of a section. */
  range(section: Section): { readonly from: number; readonly to: number } {
    let from = 0;
    for (const name of sections) {
      const to = from + this.manifest.sections[name];
      if (name === section) return { from, to };
      from = to;
    }
    throw new Error(`There is no section ${section}.`);
  }

  offsetOf(chunk: number): number {
    return Number(this.#table.readBigUInt64BE(chunk * entryBytes));
  }

  /** Reads a chunk and verifies it against its CID. @throws SNAPSHOT_DAMAGED */
  async read(chunk: number): Promise<Uint8Array> {
    const at = chunk * entryBytes;
    const frame = { offset: this.offsetOf(chunk), length: this.#table.readUInt32BE(at + 8) };
    const digest = this.#table.subarray(at + 12, at + entryBytes);
    return await readVerified(this.path, this.#file, { ...frame, digest }, `chunk ${chunk}`);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

interface Survey {
  readonly manifest: Manifest;
  readonly root: CID;
  readonly table: Buffer;
  readonly bytes: number;
}

/** Finds the blocks of a file. */
class Surveyor {
  readonly #path: string;
  readonly #file: FileHandle;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  async survey(): Promise<Survey> {
    const { size } = await this.#file.stat();
    const { root, end } = await this.#header();
    const entries: Buffer[] = [];
    // The index and the manifest follow the chunks.
    const later: Frame[] = [];
    for (let at = end, count = 0; at < size; count++) {
      const frame = await this.#frame(at, size, count);
      at = frame.end;
      if (frame.codec !== rawCode) later.push(frame);
      else if (later.length > 0) throw this.#damaged(`a chunk follows its index, at byte ${frame.offset}`);
      else entries.push(entryOf(frame));
    }
    const last = later.pop();
    if (last === undefined || !isCidOf(root, last))
      throw this.#damaged('its root is not its last block: it is truncated or damaged');
    const manifest = decodeManifest(this.#path, await this.#read(last, 'the manifest'));
    const table = Buffer.concat(entries);
    await this.#verifyIndex(manifest, later, table);
    return { manifest, root, table, bytes: size };
  }

  /** Verifies that the index lists exactly the chunks of the file. */
  async #verifyIndex({ index, sections: counts }: Manifest, frames: readonly Frame[], table: Buffer): Promise<void> {
    if (index.length !== frames.length) throw this.#damaged('its index is incomplete');
    let chunk = 0;
    for (const [position, frame] of frames.entries()) {
      if (!isCidOf(index[position] as CID, frame)) throw this.#damaged(`part ${position} of its index is another one`);
      const links = dagCbor.decode(await this.#read(frame, `part ${position} of the index`));
      if (!Array.isArray(links)) throw this.#damaged(`part ${position} of its index is not a list`);
      for (const link of links) {
        const cid = CID.asCID(link);
        const at = chunk * entryBytes;
        const digest = table.subarray(at + 12, at + entryBytes);
        if (cid === null || digest.length === 0 || !isCidOf(cid, { codec: rawCode, digest }))
          throw this.#damaged(`chunk ${chunk} is not the one in its index`);
        chunk++;
      }
    }
    const listed = sections.reduce((sum, section) => sum + counts[section], 0);
    if (chunk * entryBytes !== table.length || listed !== chunk)
      throw this.#damaged(
        `it has ${table.length / entryBytes} chunks, its index lists ${chunk}, its manifest ${listed}`,
      );
  }

  async #header(): Promise<{ readonly root: CID; readonly end: number }> {
    const start = await this.#bytesAt(0, headerBytesMax);
    const length = this.#lengthIn(start, 'it is not a CAR');
    const end = length.bytes + length.value;
    let header: { readonly version?: unknown; readonly roots?: readonly unknown[] };
    try {
      header = Object(dagCbor.decode(start.subarray(length.bytes, end)));
    } catch (error) {
      throw damagedSnapshot(this.#path, 'it is not a CAR', error);
    }
    const root = Array.isArray(header.roots) && header.roots.length === 1 ? CID.asCID(header.roots[0]) : null;
    if (header.version !== 1 || root === null) throw this.#damaged('it is not a CAR of version 1 with one root');
    return { root, end };
  }

  async #frame(at: number, size: number, count: number): Promise<Frame> {
    const start = await this.#bytesAt(at, lengthBytesMax + cidBytes);
    const length = this.#lengthIn(start, `block ${count} at byte ${at} has no length`);
    const end = at + length.bytes + length.value;
    if (end > size) throw this.#damaged(`it ends within block ${count}, at byte ${size}; the block ends at ${end}`);
    const cid = start.subarray(length.bytes, length.bytes + cidBytes);
    const prefix = prefixes.find(({ bytes }) => cid.subarray(0, bytes.length).equals(bytes));
    if (prefix === undefined || length.value < cidBytes || length.value > snapshotLimits.chunkBytesMax)
      throw this.#damaged(`block ${count} at byte ${at} does not begin with a CID of a chunk`);
    const offset = at + length.bytes + cidBytes;
    return { offset, length: end - offset, codec: prefix.codec, digest: cid.subarray(4), end };
  }

  #lengthIn(bytes: Uint8Array, fault: string): { readonly value: number; readonly bytes: number } {
    try {
      const [value, length] = varint.decode(bytes);
      return { value, bytes: length };
    } catch (error) {
      throw damagedSnapshot(this.#path, fault, error);
    }
  }

  async #bytesAt(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }

  async #read(frame: Frame, name: string): Promise<Uint8Array> {
    return await readVerified(this.#path, this.#file, frame, name);
  }

  #damaged(reason: string) {
    return damagedSnapshot(this.#path, reason);
  }
}

async function readVerified(
  path: string,
  file: FileHandle,
  { offset, length, digest }: Pick<Frame, 'offset' | 'length' | 'digest'>,
  name: string,
): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  if (bytesRead < length || !createHash('sha256').update(bytes).digest().equals(digest))
    throw damagedSnapshot(path, `${name} at byte ${offset} does not match its CID`);
  return bytes;
}

function entryOf({ offset, length, digest }: Frame): Buffer {
  const entry = Buffer.alloc(entryBytes);
  entry.writeBigUInt64BE(BigInt(offset));
  entry.writeUInt32BE(length, 8);
  entry.set(digest, 12);
  return entry;
}

function isCidOf(cid: CID, { codec, digest }: Pick<Frame, 'codec' | 'digest'>): boolean {
  return Buffer.compare(cid.bytes, Buffer.concat([cidPrefix(codec), digest])) === 0;
}
