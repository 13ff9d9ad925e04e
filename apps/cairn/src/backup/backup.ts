import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { backupEnvironment } from '@cairn/embedded-store';
import { CairnError } from '@cairn/errors';
import { openStores } from '@cairn/stores';
import { flush } from '../flush.ts';
import { homeFiles } from './home-files.ts';

const manifestName = 'cairn-backup.json';

/** Manifest of a backup: SHA-256 and length of each file. */
export interface Manifest {
  readonly version: 1;
  readonly createdAt: string;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/**
 * Copies all embedded stores while services use them. Garbage collection pauses meanwhile, so that the copy contains
 * every block of its pins. The directory appears when it is complete and durable.
 * @throws BACKUP_EXISTS, BACKUP_EMPTY, BACKUP_BUSY, BACKUP_UNWRITABLE, and errors of the stores
 */
export async function backupHome(
  home: string,
  to: string,
  { onStore, keyFile }: { readonly onStore: (name: string) => void; readonly keyFile?: string | undefined },
): Promise<Manifest> {
  if (existsSync(to)) throw new CairnError('BACKUP_EXISTS', `${to} exists already.`, { hint: 'Name a new directory.' });
  const { stores, files } = homeFiles(home, keyFile);
  if (stores.length === 0)
    throw new CairnError('BACKUP_EMPTY', `There are no stores in ${home}.`, { hint: 'Set CAIRN_HOME.' });
  const partial = join(dirname(to), `.${basename(to)}.partial`);
  await createEmpty(partial, to);
  const unlock = await holdCollections(home, stores);
  try {
    for (const store of stores) {
      onStore(store);
      await backupEnvironment({ from: join(home, store), to: join(partial, store) });
    }
    for (const file of files) await copyFile(join(home, file), join(partial, file));
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await unlock();
  }
  const manifest: Manifest = { version: 1, createdAt: new Date().toISOString(), files: await filesOf(partial) };
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const path of [...Object.keys(manifest.files), manifestName]) await flush(join(partial, path));
  await rename(partial, to);
  await flush(dirname(to));
  return manifest;
}

/** Creates the directory of an incomplete backup. @throws BACKUP_UNWRITABLE */
async function createEmpty(partial: string, to: string): Promise<void> {
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new CairnError('BACKUP_UNWRITABLE', `The backup ${to} cannot be written (${reason}).`, {
      hint: 'Name a path in a directory that this user can write.',
      cause,
    });
  }
}

/** Keeps the lease of collection until it is released. */
async function holdCollections(home: string, stores: readonly string[]): Promise<() => Promise<void>> {
  if (!stores.includes('pins')) return async () => {};
  const pins = await openStores({ CAIRN_HOME: home }).pins();
  const lock = await pins.tryLockCollection();
  if (lock === undefined) {
    await pins.close();
    throw new CairnError('BACKUP_BUSY', 'Garbage is being collected.', { hint: 'Try again when it has ended.' });
  }
  const renewing = setInterval(() => void lock.renew().catch(() => {}), 5000);
  return async () => {
    clearInterval(renewing);
    await lock.release();
    await pins.close();
  };
}

/**
 * Creates a home from a backup. The home appears only when it is complete and matches the manifest.
 * @throws HOME_NOT_EMPTY, BACKUP_INVALID naming the file
 */
export async function restoreHome(from: string, home: string): Promise<Manifest> {
  const there = existsSync(home) ? await readdir(home) : [];
  if (there.length > 0) {
    throw new CairnError('HOME_NOT_EMPTY', `${home} is not empty: it has ${there.slice(0, 3).join(', ')}.`, {
      hint: 'Stop the services and move it away, or set CAIRN_HOME to an empty directory.',
    });
  }
  const manifest = await readManifest(from);
  const partial = `${home}.partial`;
  await rm(partial, { recursive: true, force: true });
  await cp(from, partial, { recursive: true });
  await rm(join(partial, manifestName));
  const found = await filesOf(partial);
  for (const [path, { bytes, sha256 }] of Object.entries(manifest.files)) {
    if (found[path]?.sha256 === sha256 && found[path].bytes === bytes) continue;
    await rm(partial, { recursive: true, force: true });
    throw new CairnError('BACKUP_INVALID', `${join(from, path)} differs from the manifest.`, {
      hint: 'Use another copy of the backup.',
    });
  }
  for (const path of Object.keys(found)) await flush(join(partial, path));
  await rm(home, { recursive: true, force: true });
  await rename(partial, home);
  await flush(dirname(home));
  return manifest;
}

async function readManifest(from: string): Promise<Manifest> {
  try {
    const manifest = JSON.parse(await readFile(join(from, manifestName), 'utf8')) as Manifest;
    if (manifest.version !== 1) throw new Error('another version');
    return manifest;
  } catch (cause) {
    throw new CairnError('BACKUP_INVALID', `${from} is not a backup: it has no readable ${manifestName}.`, {
      hint: 'Name a directory that `cairn backup` created.',
      cause,
    });
  }
}

/** Length and hash of each file below a directory. Lock files belong to processes and are not copied. */
async function filesOf(directory: string): Promise<Manifest['files']> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== 'lock.mdb' && entry.name !== manifestName)
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  for (const path of paths) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    files[path.slice(directory.length + 1)] = { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
  }
  return files;
}
