import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { secretKeyFile } from '@cairn/auth';

/** Contents of a home that a backup copies. */
export interface HomeFiles {
  /** Directories of embedded stores, in the order in which they are copied. */
  readonly stores: readonly string[];
  /**
   * Files beside the stores, such as the identity of the service. The key of secrets is excluded, because it protects
   * copies.
   */
  readonly files: readonly string[];
}

/**
 * Stores and files of a home. Stores with references to blocks come before the blocks, so that a copy contains every
 * referenced block. Shared counters of limits belong to this machine and boot, and are excluded.
 */
export function homeFiles(home: string, keyFile = join(home, secretKeyFile)): HomeFiles {
  const chains = join(home, 'chains');
  // A name with a dot is an unfinished restore of a snapshot.
  const complete = existsSync(chains) ? readdirSync(chains).filter((name) => !name.startsWith('.')) : [];
  const names = complete.map((name) => join('chains', name));
  const stores = ['accounts', 'files', 'names', 'pins', ...names.sort(), 'blocks'];
  // A draft has a number after its name.
  const isKey = (name: string) => name.startsWith(secretKeyFile) || resolve(home, name).startsWith(resolve(keyFile));
  const entries = existsSync(home) ? readdirSync(home, { withFileTypes: true }) : [];
  return {
    stores: stores.filter((name) => existsSync(join(home, name, 'data.mdb'))),
    files: entries.filter((entry) => entry.isFile() && !isKey(entry.name)).map(({ name }) => name),
  };
}
