import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type Database as LmdbDatabase, open, type RootDatabase } from 'lmdb';
import { storeErrorFrom } from './errors.ts';
import { assertDataFile, FileWatch } from './file-watch.ts';
import { limits } from './limits.ts';
import { checkPagesAtOpen } from './pages/check-pages.ts';
import { reservePid } from './reserve-pid.ts';

/** An lmdb handle with the state that all its environments in this thread share. */
export interface SharedRoot {
  readonly path: string;
  readonly root: RootDatabase<Buffer, Uint8Array>;
  readonly databases: Map<string, LmdbDatabase<Buffer, Uint8Array>>;
  /** True if commits wait for the disk. */
  readonly isSynced: boolean;
  /** True while the action of a transaction runs. */
  isWriting: boolean;
  /** Number of writes of sealed records and transaction starts. */
  writes: number;
  /** The batch of requests that made commits of other processes visible last. */
  refreshedIn: number | undefined;
  /** Number of open environments. */
  users: number;
  readonly releasePid: () => void;
  readonly watch: FileWatch;
}

// Two lmdb handles on one directory deadlock within a thread. Opening a database through the second waits synchronously for
// the transaction of the first, whose action waits for this thread.
const roots = new Map<string, SharedRoot>();
const closings = new Map<string, Promise<unknown>>();
const openings = new Map<string, Promise<unknown>>();

/** Returns the handle of this thread on a directory and opens it on first use. Release it with {@link releaseRoot}. */
export async function acquireRoot(
  directory: string,
  { create, isSynced }: { readonly create: boolean; readonly isSynced: boolean },
): Promise<SharedRoot> {
  const path = realpathSync(directory);
  for (;;) {
    const known = roots.get(path);
    if (known !== undefined) {
      known.users++;
      return known;
    }
    const change = closings.get(path) ?? openings.get(path);
    if (change === undefined) break;
    // Errors are reported to the caller that started the change.
    await change.catch(() => {});
  }
  const opening = openRoot(path, { create, isSynced }).finally(() => openings.delete(path));
  openings.set(path, opening);
  return await opening;
}

/**
 * Makes commits of other processes visible to the next read of each environment that this thread has open. Services call it for each
 * request: otherwise one that arrives in a turn of the event loop would be answered from what that turn has read before, although its
 * client may have the answer of a later write.
 */
export function refreshEnvironments(): void {
  for (const { root } of roots.values()) root.resetReadTxn();
}

async function openRoot(
  path: string,
  { create, isSynced }: { readonly create: boolean; readonly isSynced: boolean },
): Promise<SharedRoot> {
  const isWritable = assertFiles(path, create);
  const releasePid = isWritable ? await reservePid(path) : () => {};
  try {
    checkPagesAtOpen(path);
    if (isWritable) createLockFile(join(path, 'lock.mdb'));
    const root = openFiles(path, { isWritable, create, isSynced });
    const watch = new FileWatch(path);
    const shared: SharedRoot = {
      path,
      root,
      databases: new Map(),
      isSynced,
      isWriting: false,
      writes: 0,
      refreshedIn: undefined,
      users: 1,
      releasePid,
      watch,
    };
    roots.set(path, shared);
    return shared;
  } catch (error) {
    releasePid();
    throw error;
  }
}

function openFiles(
  path: string,
  {
    isWritable,
    create,
    isSynced,
  }: { readonly isWritable: boolean; readonly create: boolean; readonly isSynced: boolean },
): RootDatabase<Buffer, Uint8Array> {
  return open<Buffer, Uint8Array>({
    path,
    noSubdir: false,
    name: 'cairn',
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: limits.databasesMax,
    maxReaders: limits.readersMax,
    // Read-only only if the files are: LMDB shares one environment among the threads of a process, and the first opening
    // decides for all of them.
    readOnly: !isWritable,
    // A commit then resolves after its fdatasync, so that no reader sees a state that a power cut can undo.
    overlappingSync: false,
    ...(isSynced ? {} : { noSync: true }),
    // With batches by turn, lmdb creates a promise per batch that no caller can handle, and a full disk would end the process
    // with an unhandled rejection. Group commit works without it.
    eventTurnBatching: false,
    // Zeroes new pages, so that unused parts contain no bytes of other requests.
    noMemInit: false,
    ...(create ? {} : { create: false }),
  });
}

/** Releases a handle. The last release waits for pending writes and closes the files. */
export async function releaseRoot(shared: SharedRoot): Promise<void> {
  shared.users--;
  if (shared.users > 0) return;
  roots.delete(shared.path);
  shared.releasePid();
  const closing = shared.root.close().finally(() => closings.delete(shared.path));
  closings.set(shared.path, closing);
  await closing;
}

/** Returns the watches of the stores that are open in this thread, by directory. */
export function openWatches(): ReadonlyMap<string, FileWatch> {
  return new Map([...roots].map(([path, { watch }]) => [path, watch]));
}

const lmdbMagic = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);

/**
 * Checks the files of a store as an opening for writing does: rights, length and pages. Changes nothing.
 * @throws STORE_CORRUPT, STORE_UNAVAILABLE
 */
export function checkStoreFiles(directory: string): void {
  try {
    assertFiles(directory, true);
    checkPagesAtOpen(directory);
  } catch (error) {
    throw storeErrorFrom(error, directory, 'STORE_UNAVAILABLE');
  }
}

/**
 * Refuses files on which LMDB would crash: an inaccessible directory, or a data file of another program.
 * @returns true if the files can be written
 */
function assertFiles(directory: string, create: boolean): boolean {
  const file = join(directory, 'data.mdb');
  const exists = existsSync(file);
  assertDataFile(directory);
  if (!create && !exists) throw new Error(`ENOENT: ${file} does not exist`);
  const isWritable = canWrite(directory) && (!exists || canWrite(file));
  if (create && !isWritable) throw new Error(`EACCES: ${exists ? file : directory} cannot be written`);
  if (isWritable) assertLockFile(join(directory, 'lock.mdb'));
  if (!exists) return isWritable;
  const head = Buffer.alloc(64);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, head, 0, head.length, 0);
    if (length > 0 && !head.subarray(0, length).includes(lmdbMagic))
      throw new Error('MDB_INVALID: data.mdb is not an LMDB file');
  } finally {
    closeSync(descriptor);
  }
  return isWritable;
}

/** Length of a lock file for the maximum number of readers: one header, and 64 bytes for each reader. */
const lockBytes = 272 + (limits.readersMax - 1) * 64;

/** Refuses a lock file on which LMDB would crash. */
function assertLockFile(file: string): void {
  if (existsSync(file) && !(canWrite(file) && statSync(file).isFile()))
    throw new Error(`EACCES: ${file} cannot be written`);
}

/**
 * Creates a missing lock file with all its space. LMDB maps it as a sparse file: on a full disk, the first write would end the
 * process with SIGBUS.
 */
function createLockFile(file: string): void {
  if (existsSync(file)) return;
  // Written under another name: a process may open the store meanwhile.
  const draft = `${file}.${process.pid}-${threadId}`;
  try {
    writeFileSync(draft, Buffer.alloc(lockBytes), { mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    // EEXIST: another process was first. Some file systems have no links, and LMDB then creates the file.
    if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
