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

/** Thrown for problems with the files or the use of an embedded store. `details.directory` names the store. */
export class StoreError extends CairnError<StoreErrorCode> {}

const causes: readonly { readonly pattern: RegExp; readonly code: StoreErrorCode; readonly hint: string }[] = [
  {
    pattern: /MDB_MAP_FULL|ENOSPC|No space left|Disk quota|File too large/i,
    code: 'STORE_FULL',
    hint: 'Free disk space and retry; this write was not stored.',
  },
  {
    pattern:
      /MDB_INVALID|MDB_CORRUPTED|MDB_PAGE_NOTFOUND|MDB_VERSION_MISMATCH|MDB_PANIC|MDB_BAD_TXN|MDB_INCOMPATIBLE|MDB_CURSOR_FULL/i,
    code: 'STORE_CORRUPT',
    hint: 'The files are damaged or not LMDB files. Restore them from a backup.',
  },
  {
    pattern: /EACCES|EPERM|EROFS|Permission denied|Read-only|ENOENT|ENOTDIR|EEXIST|Not a directory|File exists/i,
    code: 'STORE_UNAVAILABLE',
    hint: 'Check that the directory can be created, read and written by this user.',
  },
];

/** Reports whether LMDB or the file system caused the error of a transaction, and not its action. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof Error && /MDB_|ENOSPC|EIO|No space left/.test(error.message);
}

/** Converts an error of LMDB or the file system. Returns typed errors unchanged. */
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
    hint: found?.hint ?? 'Check the disk and the system log; the write was not stored.',
    details: { directory },
    cause: error,
  });
}

/** LMDB reports every short write as an I/O error. The free space tells whether the disk is full. */
function isDiskFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < spareBytes;
  } catch {
    return false;
  }
}

// Size of a large commit. Smaller commits may still succeed with less free space.
const spareBytes = 16 * 1024 * 1024;
