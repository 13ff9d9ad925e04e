import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { secretKeyFile } from '@cairn/auth';

/** What there is under a home to keep. */
export interface HomeFiles {
  /** Directories of embedded stores, in the order in which they are copied. */
  readonly stores: readonly string[];
  /** Files beside them, such as the identity of the service. The key of secrets is left out: it protects copies. */
  readonly files: readonly string[];
}

/**
 * Stores and files of a home. What refers to blocks comes before the blocks: a copy then has every block that something in it
 * refers to. Shared counters of limits are of this machine and this boot, and are left out.
 */
export function homeFiles(home: string, keyFile = join(home, secretKeyFile)): HomeFiles {
  const chains = join(home, 'chains');
  const names = existsSync(chains) ? readdirSync(chains).map((name) => join('chains', name)) : [];
  const stores = ['accounts', 'files', 'pins', ...names.sort(), 'blocks'];
  // A draft of it has a number behind its name.
  const isKey = (name: string) => name.startsWith(secretKeyFile) || resolve(home, name).startsWith(resolve(keyFile));
  const entries = existsSync(home) ? readdirSync(home, { withFileTypes: true }) : [];
  return {
    stores: stores.filter((name) => existsSync(join(home, name, 'data.mdb'))),
    files: entries.filter((entry) => entry.isFile() && !isKey(entry.name)).map(({ name }) => name),
  };
}
