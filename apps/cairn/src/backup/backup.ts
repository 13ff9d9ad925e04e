import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { holdAllBlocks } from '@cairn/blockstore';
import { backupEnvironment } from '@cairn/embedded-store';
import { CairnError, isCairnError } from '@cairn/errors';
import { openStores } from '@cairn/stores';
import { flush } from '../flush.ts';
import { homeFiles } from './home-files.ts';
import { createManifest, type Manifest, manifestName } from './manifest.ts';
import { removedOnSignal } from './removed-on-signal.ts';
import { isSystemError } from './system-error.ts';

export interface BackupOptions {
  /** Called before the copy of each store, which waits for it. */
  readonly onStore: (name: string) => void | Promise<void>;
  readonly keyFile?: string | undefined;
}

/**
 * Copies all embedded stores while services use them. No block is removed meanwhile, so that the copy contains every block of
 * its pins. The directory appears when it is complete and durable.
 * @throws BACKUP_EXISTS, BACKUP_EMPTY, BACKUP_BUSY, BACKUP_UNWRITABLE, HOME_UNREADABLE, and errors of the stores
 */
export async function backupHome(home: string, to: string, { onStore, keyFile }: BackupOptions): Promise<Manifest> {
  if (existsSync(to)) throw new CairnError('BACKUP_EXISTS', `${to} exists already.`, { hint: 'Name a new directory.' });
  const { stores, files } = homeFiles(home, keyFile);
  if (stores.length === 0)
    throw new CairnError('BACKUP_EMPTY', `There are no stores in ${home}.`, { hint: 'Set CAIRN_HOME.' });
  const partial = join(dirname(to), `.${basename(to)}.partial`);
  // Taken first: a second backup must not remove the incomplete directory of a running one.
  const unlock = await holdCollections(home, stores);
  try {
    const manifest = await removedOnSignal(partial, async () => {
      await createEmpty(partial);
      await copyStores({ home, stores, partial, to, onStore });
      return await copyFiles({ home, files, partial });
    });
    await rename(partial, to);
    await flush(dirname(to));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    throw failureOf(error, to);
  } finally {
    await unlock();
  }
}

/** Directories that killed backups have left beside a path. Running backups of other homes have such directories too. */
export async function leftBackups(to: string): Promise<string[]> {
  const names = await readdir(dirname(to)).catch(() => []);
  const left = names.filter((name) => /^\..+\.partial$/.test(name) && name !== `.${basename(to)}.partial`);
  return left.map((name) => join(dirname(to), name)).filter((path) => existsSync(join(path, 'accounts', 'data.mdb')));
}

interface Copying {
  readonly home: string;
  readonly partial: string;
}

async function copyStores({
  home,
  stores,
  partial,
  to,
  onStore,
}: Copying & Pick<BackupOptions, 'onStore'> & { readonly stores: readonly string[]; readonly to: string }) {
  const keeping = await keepBlocks(home, stores);
  try {
    for (const store of stores) {
      await onStore(store);
      await backupEnvironment({ from: join(home, store), to: join(partial, store) }).catch((error: unknown) => {
        throw isCairnError(error, 'STORE_FULL') ? unwritable(to, 'no space left on the device', error) : error;
      });
    }
    await keeping.confirm();
  } finally {
    await keeping.release();
  }
}

/** Copies the files beside the stores, and writes the manifest. All files are durable afterwards. */
async function copyFiles({ home, files, partial }: Copying & { readonly files: readonly string[] }): Promise<Manifest> {
  for (const file of files) {
    await mkdir(dirname(join(partial, file)), { recursive: true });
    await copyFile(join(home, file), join(partial, file));
  }
  const manifest = await createManifest(partial);
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const path of [...Object.keys(manifest.files), manifestName]) await flush(join(partial, path));
  return manifest;
}

/** Creates the directory of an incomplete backup. */
async function createEmpty(partial: string): Promise<void> {
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
}

/** Explains failures of the file system of the backup. */
function failureOf(error: unknown, to: string): unknown {
  if (!isSystemError(error)) return error;
  return unwritable(to, error.code ?? error.message, error);
}

function unwritable(to: string, reason: string, cause: unknown): CairnError {
  return new CairnError('BACKUP_UNWRITABLE', `The backup ${to} cannot be written (${reason}).`, {
    hint: 'Name a path in a directory that this user can write, on a disk with space for all stores.',
    cause,
  });
}

/** Keeps all blocks that pins of the copy may need. Collections of an account run without the lease. */
async function keepBlocks(home: string, stores: readonly string[]) {
  if (!stores.includes('blocks')) return { confirm: async () => {}, release: async () => {} };
  return await holdAllBlocks({ directory: join(home, 'blocks') });
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
