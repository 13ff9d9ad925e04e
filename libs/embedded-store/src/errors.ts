import { statfsSync } from 'node:fs';
import { CairnError } from '@cairn/errors';

export type StoreErrorCode =
  | 'STORE_FULL'
  | 'STORE_CORRUPT'
  | 'STORE_UNAVAILABLE'
  | 'STORE_VERSION_UNSUPPORTED'
  | 'STORE_CLOSED'
  | 'STORE_KEY_INVALID'
  | 'STORE_WRITE_FAILED';

/** Something is wrong with the files of an embedded store. `details.directory` says which. */
export class StoreError extends CairnError<StoreErrorCode> {}

const causes: readonly { readonly pattern: RegExp; readonly code: StoreErrorCode; readonly hint: string }[] = [
  {
    pattern: /MDB_MAP_FULL|ENOSPC|No space left|Disk quota|File too large/i,
    code: 'STORE_FULL',
    hint: 'Free disk space; nothing of this write was kept.',
  },
  {
    pattern:
      /MDB_INVALID|MDB_CORRUPTED|MDB_PAGE_NOTFOUND|MDB_VERSION_MISMATCH|MDB_PANIC|MDB_BAD_TXN|MDB_INCOMPATIBLE|MDB_CURSOR_FULL/i,
    code: 'STORE_CORRUPT',
    hint: 'The files are damaged or not an LMDB environment. Restore them from a backup.',
  },
  {
    pattern: /EACCES|EPERM|EROFS|Permission denied|Read-only|ENOENT|ENOTDIR|EEXIST|Not a directory|File exists/i,
    code: 'STORE_UNAVAILABLE',
    hint: 'Check that the directory can be created, read and written by this user.',
  },
];

/** The typed error for what LMDB or the file system threw. Keeps typed errors as they are. */
export function storeErrorFrom(
  error: unknown,
  directory: string,
  fallback: StoreErrorCode = 'STORE_WRITE_FAILED',
): Error {
  if (error instanceof Error && 'hint' in error) return error;
  const text = error instanceof Error ? `${error.message} ${'code' in error ? String(error.code) : ''}` : String(error);
  const isFull = /Input\/output error/.test(text) && isDiskFull(directory);
  const found = isFull ? causes[0] : causes.find(({ pattern }) => pattern.test(text));
  return new StoreError(found?.code ?? fallback, `The store in ${directory} failed: ${text.trim()}.`, {
    hint: found?.hint ?? 'Look at the disk and at the log of the system; the write was not kept.',
    details: { directory },
    cause: error,
  });
}

/** LMDB reports a write that was cut short as an I/O error, whatever cut it: a full disk shows in what is left of it. */
function isDiskFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < spareBytes;
  } catch {
    return false;
  }
}

// A commit may be this large; smaller ones may still have found room on the rest.
const spareBytes = 16 * 1024 * 1024;
