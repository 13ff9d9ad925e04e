import { mkdirSync } from 'node:fs';
import { storeErrorFrom } from './errors.ts';
import { acquireRoot, releaseRoot } from './shared-root.ts';

/**
 * A consistent copy of an environment, whatever it holds, while processes use it; compacted. It is one moment of this
 * environment: copy those that others refer to after those that refer to them.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_FULL
 */
export async function backupEnvironment({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  try {
    const shared = await acquireRoot(from, { create: false, isSynced: true });
    try {
      mkdirSync(to, { recursive: true, mode: 0o700 });
      await shared.root.backup(to, true);
    } finally {
      await releaseRoot(shared);
    }
  } catch (error) {
    throw storeErrorFrom(error, from, 'STORE_UNAVAILABLE');
  }
}
