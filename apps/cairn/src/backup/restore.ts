import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError, errorText } from '@cairn/errors';
import { restoreDirectories } from '@cairn/stores';
import { flush } from '../flush.ts';
import { filesOf, type Manifest, manifestName, readManifest } from './manifest.ts';
import { removedOnSignal } from './removed-on-signal.ts';
import { isSystemError } from './system-error.ts';

/**
 * Creates a home from a backup. Services refuse the home until the restore is complete. A restore that was stopped while it moved
 * verified files into the home resumes. An empty directory is kept, since it may be a mount point or in a directory that this user
 * cannot write.
 * @throws HOME_NOT_EMPTY, HOME_INCOMPLETE, RESTORE_FAILED, BACKUP_INVALID naming the file
 */
export async function restoreHome(from: string, home: string): Promise<Manifest> {
  const isPresent = existsSync(home);
  const verified = join(home, restoreDirectories.moved);
  try {
    const isResumed = existsSync(verified);
    if (!isResumed) await requireEmpty(home);
    const manifest = await readManifest(from);
    if (isResumed) await requireSame(manifest, { home, verified });
    else await copyVerified(from, manifest, { home, verified, isPresent });
    await moveInto(home, verified);
    return manifest;
  } catch (error) {
    throw failureOf(error, home);
  }
}

/** Copies and verifies the backup. The name of the directory changes when all its files are durable. */
async function copyVerified(
  from: string,
  manifest: Manifest,
  { home, verified, isPresent }: { readonly home: string; readonly verified: string; readonly isPresent: boolean },
): Promise<void> {
  const partial = join(home, restoreDirectories.copied);
  await mkdir(home, { recursive: true, mode: 0o700 });
  try {
    await removedOnSignal(partial, async () => {
      await rm(partial, { recursive: true, force: true });
      await cp(from, partial, { recursive: true });
      const found = await filesOf(partial);
      for (const [path, { bytes, sha256 }] of Object.entries(manifest.files)) {
        if (found[path]?.sha256 === sha256 && found[path].bytes === bytes) continue;
        throw new CairnError('BACKUP_INVALID', `${join(from, path)} differs from the manifest.`, {
          hint: 'Use another copy of the backup.',
        });
      }
      for (const path of [...Object.keys(found), manifestName]) await flush(join(partial, path));
    });
    await rename(partial, verified);
    await flush(home);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    if (!isPresent) await rmdir(home).catch(() => {});
    throw error;
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

/** @throws HOME_NOT_EMPTY */
async function requireEmpty(home: string): Promise<void> {
  if (!existsSync(home)) return;
  const present = (await readdir(home)).filter((name) => name !== restoreDirectories.copied);
  if (present.length === 0) return;
  throw new CairnError('HOME_NOT_EMPTY', `${home} is not empty: it has ${present.slice(0, 3).join(', ')}.`, {
    hint: 'Stop the services and move it away, or set CAIRN_HOME to an empty directory.',
  });
}

/** Stores of two backups must not be mixed. @throws HOME_INCOMPLETE */
async function requireSame(
  manifest: Manifest,
  { home, verified }: { readonly home: string; readonly verified: string },
): Promise<void> {
  // The manifest is removed when all files are in the home.
  if (!existsSync(join(verified, manifestName))) return;
  const begun = await readManifest(verified);
  if (JSON.stringify(begun) === JSON.stringify(manifest)) return;
  throw new CairnError('HOME_INCOMPLETE', `${home} has an unfinished restore of the backup of ${begun.createdAt}.`, {
    hint: 'Restore that backup again to finish it, or set CAIRN_HOME to an empty directory.',
  });
}

/** Moves the stores into the home. The manifest goes last: with it, a stopped restore resumes. */
async function moveInto(home: string, verified: string): Promise<void> {
  const names = (await readdir(verified)).filter((name) => name !== manifestName);
  for (const name of names) await rename(join(verified, name), join(home, name));
  await flush(home);
  await rm(verified, { recursive: true });
  await flush(home);
}
