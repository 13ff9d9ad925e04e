import { accessSync, closeSync, constants, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Database as LmdbDatabase, open, type RootDatabase } from 'lmdb';
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

async function openRoot(
  path: string,
  { create, isSynced }: { readonly create: boolean; readonly isSynced: boolean },
): Promise<SharedRoot> {
  const isWritable = assertFiles(path, create);
  const releasePid = isWritable ? await reservePid(path) : () => {};
  try {
    checkPagesAtOpen(path);
    const root = openFiles(path, { isWritable, create, isSynced });
    const watch = new FileWatch(path);
    const shared: SharedRoot = {
      path,
      root,
      databases: new Map(),
      isSynced,
      isWriting: false,
      writes: 0,
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

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
