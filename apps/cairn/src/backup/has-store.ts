import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CairnError } from '@cairn/errors';

/** Reports whether a directory has a store. A store that this user cannot read is never a missing one. @throws HOME_UNREADABLE */
export function hasStore(directory: string): boolean {
  try {
    return statSync(join(directory, 'data.mdb')).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw unreadable(directory, error);
  }
}

/** True for the error of a path without a file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

/** Error of a path in a home that this user cannot read. */
export function unreadable(path: string, cause: unknown): CairnError {
  return new CairnError('HOME_UNREADABLE', `${path} cannot be read (${codeOf(cause)}).`, {
    hint: 'Run the command as the user of the services, who owns the home.',
    cause,
  });
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
