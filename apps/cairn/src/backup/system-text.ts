import { errorText, isCairnError } from '@cairn/errors';

/** Text of an error of the file system, such as `ENOSPC: no space left on device`; undefined for other errors. */
export function systemText(error: unknown): string | undefined {
  const isSystem = typeof error === 'object' && error !== null && 'syscall' in error && !isCairnError(error);
  return isSystem ? errorText(error) : undefined;
}
