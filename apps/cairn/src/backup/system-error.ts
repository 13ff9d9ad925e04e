import { isCairnError } from '@cairn/errors';

/** True for an error of the file system, such as ENOSPC. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && !isCairnError(error);
}
