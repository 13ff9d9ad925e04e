import { type Dirent, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { secretKeyFile } from '@cairn/auth';
import { hasStore, isMissing, unreadable } from './has-store.ts';

/** Contents of a home that a backup copies. */
export interface HomeFiles {
  /** Directories of embedded stores, in the order in which they are copied. */
  readonly stores: readonly string[];
  /**
   * Files beside the stores: the identity of the service, and the denylists. The key of secrets is excluded, because it
   * protects copies.
   */
  readonly files: readonly string[];
}

/**
 * Stores and files of a home. Stores with references to blocks come before the blocks, so that a copy contains every
 * referenced block. Shared counters of limits belong to this machine and boot, and are excluded.
 * @throws HOME_UNREADABLE
 */
export function homeFiles(home: string, keyFile = join(home, secretKeyFile)): HomeFiles {
  // A name with a dot is an unfinished restore of a snapshot.
  const chains = entriesOf(join(home, 'chains')).filter(({ name }) => !name.startsWith('.'));
  const names = chains.map(({ name }) => join('chains', name));
  const stores = ['accounts', 'files', 'names', 'pins', ...names.sort(), 'blocks'];
  // A draft has a number after its name.
  const isKey = (name: string) => name.startsWith(secretKeyFile) || resolve(home, name).startsWith(resolve(keyFile));
  const entries = [...entriesOf(home), ...entriesOf(join(home, 'denylists'), true)];
  return {
    stores: stores.filter((name) => hasStore(join(home, name))),
    files: entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
      .filter((name) => !isKey(name)),
  };
}

/** Entries of a directory; none where it is missing. @throws HOME_UNREADABLE */
function entriesOf(directory: string, recursive = false): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true, recursive });
  } catch (error) {
    if (isMissing(error)) return [];
    throw unreadable(directory, error);
  }
}
