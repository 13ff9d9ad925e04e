import { mkdirSync } from 'node:fs';
import { storeErrorFrom } from './errors.ts';
import { acquireRoot, releaseRoot } from './shared-root.ts';

/**
 * Writes a consistent, compact copy of an environment while processes use it. The copy is one snapshot of this environment
 * only. Copy referring environments first, and then those that they refer to.
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
