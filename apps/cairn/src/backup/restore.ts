import { existsSync } from 'node:fs';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CairnError, errorText } from '@cairn/errors';
import { flush } from '../flush.ts';
import { filesOf, type Manifest, manifestName, readManifest } from './manifest.ts';
import { isSystemError } from './system-error.ts';

/** Directory of an incomplete restore in a home that exists. */
const partialName = '.restore.partial';

/**
 * Creates a home from a backup. The stores appear only when they are complete and match the manifest. An empty directory is
 * kept, since it may be a mount point or in a directory that this user cannot write.
 * @throws HOME_NOT_EMPTY, RESTORE_FAILED, BACKUP_INVALID naming the file
 */
export async function restoreHome(from: string, home: string): Promise<Manifest> {
  const isPresent = await requireEmpty(home);
  const manifest = await readManifest(from);
  const partial = isPresent ? join(home, partialName) : join(dirname(home), `${basename(home)}.partial`);
  try {
    await rm(partial, { recursive: true, force: true });
    await cp(from, partial, { recursive: true });
    await rm(join(partial, manifestName));
    const found = await filesOf(partial);
    for (const [path, { bytes, sha256 }] of Object.entries(manifest.files)) {
      if (found[path]?.sha256 === sha256 && found[path].bytes === bytes) continue;
      throw new CairnError('BACKUP_INVALID', `${join(from, path)} differs from the manifest.`, {
        hint: 'Use another copy of the backup.',
      });
    }
    for (const path of Object.keys(found)) await flush(join(partial, path));
    await (isPresent ? moveInto(home, partial) : rename(partial, home));
    await flush(isPresent ? home : dirname(home));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    throw failureOf(error, home);
  }
}

/** Explains failures of the file system. */
function failureOf(error: unknown, home: string): unknown {
  if (!isSystemError(error)) return error;
  return new CairnError('RESTORE_FAILED', `The backup was not restored to ${home}: ${errorText(error)}.`, {
    hint: 'Check that the disk has space for the backup, and that this user can read the backup and write the home.',
    cause: error,
  });
}

/** Returns whether the home exists. @throws HOME_NOT_EMPTY, RESTORE_FAILED */
async function requireEmpty(home: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  const entries = await readdir(home).catch((error: unknown) => {
    throw failureOf(error, home);
  });
  const present = entries.filter((name) => name !== partialName);
  if (present.length === 0) return true;
  throw new CairnError('HOME_NOT_EMPTY', `${home} is not empty: it has ${present.slice(0, 3).join(', ')}.`, {
    hint: 'Stop the services and move it away, or set CAIRN_HOME to an empty directory.',
  });
}

/** Moves the stores into the home. Accounts come last: without them the services have nothing to serve. */
async function moveInto(home: string, partial: string): Promise<void> {
  const entries = await readdir(partial);
  const last = 'accounts';
  for (const name of [...entries.filter((entry) => entry !== last), ...entries.filter((entry) => entry === last)])
    await rename(join(partial, name), join(home, name));
  await rm(partial, { recursive: true });
}
