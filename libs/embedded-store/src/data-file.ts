import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { StoreError } from './errors.ts';
import { freePagesFrom } from './free-pages.ts';

/** Content of the newest valid meta page of an LMDB file. */
interface DataFileState {
  readonly pageBytes: number;
  /** Number of the last page in use, from 0. */
  readonly lastPage: number;
  /** Root page of the tree of free pages; `undefined` for an empty tree. */
  readonly freeRoot: number | undefined;
  readonly transaction: bigint;
}

// Offsets in the file format of LMDB 0.9.90 as built by lmdb-js (mdb.c: MDB_page_header, MDB_meta), data version 2.
const headerBytes = 24;
const metaBytes = 160;
const flagsAt = 18;
const metaFlag = 0x08;
const magic = 0xbeefc0de;
const dataVersion = 2;
const at = { magic: 24, version: 28, pageBytes: 48, freeRoot: 88, lastPage: 144, transaction: 152 } as const;
const noPage = 0xffff_ffff_ffff_ffffn;
const pageBytesMax = 65_536;

/**
 * Compares the length of an LMDB file with the length in its meta pages. LMDB maps the file, so a read of a page beyond its end
 * raises SIGBUS, which ends the process. Reads two pages, and the list of free pages only if the file is shorter.
 * @throws STORE_CORRUPT with file, expected and actual length
 */
export function assertNotTruncated(file: string, directory: string): void {
  const descriptor = openSync(file, 'r');
  try {
    const state = readState(descriptor);
    // Read after the meta pages, since LMDB writes pages before the meta page that refers to them.
    const { size } = fstatSync(descriptor);
    if (state === undefined) return;
    const { pageBytes, lastPage, freeRoot } = state;
    const bytesExpected = (lastPage + 1) * pageBytes;
    if (size >= bytesExpected) return;
    // LMDB never writes pages at the end that one transaction used and freed. Such a file is complete.
    const first = Math.floor(size / pageBytes);
    const isTailFree = freePagesFrom(descriptor, { first, lastPage, pageBytes, root: freeRoot });
    if (!isTailFree) throw truncated({ file, directory, bytes: size, bytesExpected });
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the newer meta page; `undefined` for pages that LMDB itself refuses. */
function readState(descriptor: number): DataFileState | undefined {
  if (endianness() !== 'LE') return undefined;
  const first = readMeta(descriptor, 0);
  if (first === undefined) return undefined;
  const second = readMeta(descriptor, first.pageBytes);
  return second !== undefined && second.transaction > first.transaction ? second : first;
}

function readMeta(descriptor: number, position: number): DataFileState | undefined {
  const page = Buffer.alloc(metaBytes);
  if (readSync(descriptor, page, 0, metaBytes, position) < metaBytes) return undefined;
  if ((page.readUInt16LE(flagsAt) & metaFlag) === 0 || page.readUInt32LE(at.magic) !== magic) return undefined;
  const pageBytes = page.readUInt32LE(at.pageBytes);
  if ((page.readUInt32LE(at.version) & 0xffff) !== dataVersion) return undefined;
  if (pageBytes < metaBytes + headerBytes || pageBytes > pageBytesMax) return undefined;
  const root = page.readBigUInt64LE(at.freeRoot);
  return {
    pageBytes,
    lastPage: Number(page.readBigUInt64LE(at.lastPage)),
    freeRoot: root === noPage ? undefined : Number(root),
    transaction: page.readBigUInt64LE(at.transaction),
  };
}

const restoreHint = 'Stop all services, check the disk, and restore the whole home from a backup (`cairn restore`).';

/** Creates the error for a truncated file. */
export function truncated({
  file,
  directory,
  bytes,
  bytesExpected,
}: {
  readonly file: string;
  readonly directory: string;
  readonly bytes: number;
  readonly bytesExpected: number;
}): StoreError {
  return new StoreError('STORE_CORRUPT', `${file} is truncated: it has ${bytes} bytes instead of ${bytesExpected}.`, {
    hint: restoreHint,
    details: { directory, file, bytes, bytesExpected },
  });
}
