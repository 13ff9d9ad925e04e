// File format of LMDB as built by lmdb-js 3.5 (mdb.c: MDB_page_header, MDB_meta, MDB_db), data version 2, little-endian.
import { closeSync, openSync, readSync } from 'node:fs';
import { StoreError } from '../errors.ts';

export const headerBytes = 24;
export const pageFlags = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
const noPage = 0xffff_ffff_ffff_ffffn;

const metaBytes = 168;
const magic = 0xbeefc0de;
const dataVersion = 2;
const pageBytesMax = 65_536;
/** User space has addresses of 47 bits, so a larger map is impossible. */
const mapBytesMax = 2n ** 47n;
const treeBytes = 48;

/** Record of a tree: a named database, the list of names, or the list of free pages. */
export interface TreeRecord {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** `undefined` for an empty tree. */
  readonly root: number | undefined;
}

/** A meta page: the start of a snapshot. A file has two. */
export interface Meta {
  readonly pageBytes: number;
  readonly mapBytes: bigint;
  readonly free: TreeRecord;
  readonly main: TreeRecord;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** Thrown for a page that LMDB cannot have written. */
export class PageDamage extends Error {}

/** Reads pages of an LMDB file without mapping it, so that damage is an error and never a signal. */
export class PageFile {
  readonly #descriptor: number;
  #pageBytes = 4096;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
  }

  get pageBytes(): number {
    return this.#pageBytes;
  }

  /** Returns the newer meta page. @throws {PageDamage} */
  meta(): Meta {
    const first = this.#meta(0, 0);
    this.#pageBytes = first.pageBytes;
    const second = this.#meta(1, first.pageBytes);
    if (second.pageBytes !== first.pageBytes) throw new PageDamage('the meta pages name different page sizes');
    const [newer, older] = second.transaction > first.transaction ? [second, first] : [first, second];
    const isOfParity = (newer.transaction & 1n) === (newer === second ? 1n : 0n);
    // A transaction writes the meta page of its parity, so the other page is of its predecessor. A copy starts with 0.
    const isPair = isOfParity && newer.transaction - older.transaction === 1n;
    if (!isPair && older.transaction !== 0n)
      throw new PageDamage(`the meta pages are of transactions ${first.transaction} and ${second.transaction}`);
    return newer;
  }

  /** Returns the newest meta page that is valid by itself. @throws STORE_CORRUPT */
  salvageMeta(directory: string): Meta {
    const found: Meta[] = [];
    for (const [number, position] of [
      [0, 0],
      [1, this.#pageBytes],
    ] as const) {
      try {
        found.push(this.#meta(number, position));
      } catch (error) {
        if (!(error instanceof PageDamage)) throw error;
      }
    }
    const [meta] = found.sort((a, b) => Number(b.transaction - a.transaction));
    if (meta === undefined)
      throw new StoreError('STORE_CORRUPT', `Neither meta page in ${directory} can be read.`, {
        hint: 'Restore the store from a backup.',
        details: { directory },
      });
    return meta;
  }

  #meta(number: number, position: number): Meta {
    const page = this.#read(position, metaBytes);
    const fail = (problem: string) => new PageDamage(`meta page ${number} ${problem}`);
    if (page.readUInt16LE(18) !== pageFlags.meta || page.readUInt32LE(24) !== magic) throw fail('is none');
    if (page.readUInt32LE(28) !== dataVersion) throw fail(`has data version ${page.readUInt32LE(28)}`);
    const pageBytes = page.readUInt32LE(48);
    if (pageBytes < 512 || pageBytes > pageBytesMax || (pageBytes & (pageBytes - 1)) !== 0)
      throw fail(`has pages of ${pageBytes} bytes`);
    if (Number(page.readBigUInt64LE(0)) !== number) throw fail('has another number');
    const mapBytes = page.readBigUInt64LE(40);
    const lastPage = Number(page.readBigUInt64LE(144));
    if (
      page.readBigUInt64LE(32) !== 0n ||
      mapBytes > mapBytesMax ||
      mapBytes < BigInt(lastPage + 1) * BigInt(pageBytes)
    )
      throw fail(`has a map of ${mapBytes} bytes for ${lastPage + 1} pages`);
    return {
      pageBytes,
      mapBytes,
      free: readTree(page, 48),
      main: readTree(page, 96),
      lastPage,
      transaction: page.readBigUInt64LE(152),
    };
  }

  page(number: number): Buffer {
    return this.#read(number * this.#pageBytes, this.#pageBytes);
  }

  header(number: number): Buffer {
    return this.#read(number * this.#pageBytes, headerBytes);
  }

  /** Returns the value in the overflow pages that start with this one. */
  overflow(number: number, length: number): Buffer {
    return this.#read(number * this.#pageBytes + headerBytes, length);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (!Number.isSafeInteger(position) || readSync(this.#descriptor, bytes, 0, length, position) < length)
      throw new PageDamage(`page ${Math.floor(position / this.#pageBytes)} is beyond the end of the file`);
    return bytes;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** @throws {PageDamage} */
export function readTree(bytes: Buffer, at: number): TreeRecord {
  if (bytes.length < at + treeBytes) throw new PageDamage('a record of a database is too short');
  const count = (offset: number) => Number(bytes.readBigUInt64LE(at + offset));
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: count(8),
    leafPages: count(16),
    overflowPages: count(24),
    entries: count(32),
    root: root === noPage ? undefined : Number(root),
  };
}
