import { type Blockstore, Slices } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { type ByteSource, chunksOfSource } from '@cairn/platform';
import type { PbLink } from './dag-pb.ts';
import {
  assertFree,
  type Directory,
  inListingOrder,
  isDirectory,
  newDirectory,
  openDirectory,
} from './directory-tree.ts';
import { InvalidOptionError, RefusedOptionError } from './errors.ts';
import { type DirectoryOptions, importDirectory } from './import-directory.ts';
import { type ImportOptions, importFile } from './import-file.ts';
import { importSymlink } from './import-symlink.ts';
import { TreeWalk } from './tree-walk.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

/** File, directory or symlink of a tree. */
export interface TreeEntry extends UnixfsMetadata {
  /** Names separated by slashes, for example `photos/2024/a.jpg`. Empty: a top-level file named by its CID. */
  readonly path: string;
  /** Bytes of a file. An entry with neither this nor {@link symlink} is a directory. */
  readonly content?: ByteSource;
  /** Target of a symlink. */
  readonly symlink?: string;
}

/** Written part of the tree. */
export interface ImportedEntry<Entry extends TreeEntry = TreeEntry> {
  /** Path as given, or the CID of a file without a name; `''` for the wrapping directory. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly cid: CID;
  /** Size of the whole DAG in bytes: Kubo's `Size`. */
  readonly dagSize: number;
  /** True for top-level entries, or for the wrapping directory. */
  readonly isRoot: boolean;
  /**
   * Top-level entry that this one belongs to. Undefined within `wrap`, and if no entry was given for the top-level
   * directory.
   */
  readonly top: Entry | undefined;
}

export interface TreeOptions<Entry extends TreeEntry = TreeEntry>
  extends Omit<ImportOptions, 'onProgress'>,
    DirectoryOptions {
  /** Wraps all entries into one directory, the single root. Default: false. */
  readonly wrap?: boolean;
  /** Keeps directories without entries. A top-level directory is always kept. Default: true. */
  readonly emptyDirectories?: boolean;
  /** Called with the number of bytes of a file read so far, and once more when the file is done. */
  readonly onProgress?: (path: string, bytes: number, isDone: boolean, top: Entry | undefined) => void;
}

export const treeLimits = {
  /** Bounds memory: names and CIDs of a tree are kept until its directories are written. */
  entriesMax: 1_000_000,
  /** No file system has deeper paths. */
  depthMax: 256,
} as const;

/** Directory that receives the current entries. */
interface OpenTop<Entry> {
  readonly directory: Directory;
  /** Names from the root to the directory. Empty for the wrapping directory and for one without a name. */
  readonly names: readonly string[];
  readonly top: Entry | undefined;
}

/**
 * Writes files, symlinks and directories in Kubo's order, and yields each when it is done. Files and symlinks are yielded
 * as they arrive. The directories of a top-level entry follow at its end, each after the entries within it. Directories
 * that occur only in paths are created. `mode` and `mtime` of the options apply to every entry without its own. Blocks are
 * **not** durable before `store.sync()`.
 * @throws OPTION_INVALID, HASH_UNSUPPORTED, what the sources and the store throw, the reason of the signal
 */
export async function* importTree<Entry extends TreeEntry>(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  store: Pick<Blockstore, 'putMany'>,
  options: TreeOptions<Entry> = {},
): AsyncGenerator<ImportedEntry<Entry>> {
  const { wrap = false, signal, mode, mtime } = options;
  const walk = new TreeWalk();
  // Yields to the event loop, since many small files can arrive in one piece.
  const slices = new Slices();
  const shared: UnixfsMetadata = { mode, mtime };
  let open: OpenTop<Entry> | undefined = wrap
    ? { directory: newDirectory(shared), names: [], top: undefined }
    : undefined;
  let count = 0;
  for await (const entry of entries) {
    signal?.throwIfAborted();
    if (typeof entry?.path !== 'string')
      throw new InvalidOptionError('entries', `entry ${count} has no path: pass objects such as { path, content }`);
    if (slices.isOver) await slices.next();
    if (++count > treeLimits.entriesMax) {
      throw new InvalidOptionError('path', `the tree has more than ${treeLimits.entriesMax} entries`);
    }
    const isLeaf = entry.content !== undefined || entry.symlink !== undefined;
    const place = walk.place(namesOf(entry.path), !isLeaf);
    if (place === undefined) continue;
    const metadata: UnixfsMetadata = { mode: entry.mode ?? mode, mtime: entry.mtime ?? mtime };
    if (place.isNewTop && !wrap) {
      if (open !== undefined) yield* writeDirectories(open, store, options);
      const [first] = place.implied;
      open =
        first !== undefined
          ? { directory: newDirectory(shared), names: first, top: undefined }
          : isLeaf
            ? undefined
            : { directory: newDirectory(metadata), names: place.names.filter((name) => name !== ''), top: entry };
    }
    const skipped = open?.names.length ?? 0;
    for (const names of place.implied) if (open) openDirectory(open.directory, names.slice(skipped), shared);
    if (isLeaf) {
      const parent = open && openDirectory(open.directory, place.names.slice(skipped, -1), shared);
      yield await importLeaf({ entry, metadata, name: place.names.at(-1) ?? '', parent, open, store, options });
    } else if (open !== undefined && open.top !== entry) {
      if (place.names.at(-1) === '') throw new RefusedOptionError('path', 'no path given to Mkdir');
      openDirectory(open.directory, place.names.slice(skipped), metadata);
    }
  }
  if (open !== undefined) yield* writeDirectories(open, store, options);
}

/** Splits a path into names. @throws OPTION_INVALID */
function namesOf(path: string): readonly string[] {
  if (path === '') return [];
  const names = path.split('/');
  if (names.length > treeLimits.depthMax) {
    throw new InvalidOptionError('path', `it has more than ${treeLimits.depthMax} names: ${path.slice(0, 100)}`);
  }
  if (names.some((name) => name === '' || name === '.' || name === '..')) {
    throw new InvalidOptionError('path', `${JSON.stringify(path.slice(0, 200))} has an empty or relative name`);
  }
  return names;
}

/** Writes a file or symlink and adds it to its directory, if there is one. */
async function importLeaf<Entry extends TreeEntry>({
  entry,
  metadata: { mode, mtime },
  name,
  parent,
  open,
  store,
  options,
}: {
  readonly entry: Entry;
  readonly metadata: UnixfsMetadata;
  readonly name: string;
  readonly parent: Directory | undefined;
  readonly open: OpenTop<Entry> | undefined;
  readonly store: Pick<Blockstore, 'putMany'>;
  readonly options: TreeOptions<Entry>;
}): Promise<ImportedEntry<Entry>> {
  const { path, content, symlink } = entry;
  const { onProgress, ...shared } = options;
  const top = open === undefined ? entry : open.top;
  if (parent !== undefined && name !== '') assertFree(parent, name);
  const { cid, dagSize, fileSize } =
    content === undefined
      ? await importSymlink(symlink ?? '', store, { ...shared, mtime })
      : await importFile(chunksOfSource(content, `content of ${JSON.stringify(path.slice(0, 200))}`), store, {
          ...shared,
          ...(onProgress && { onProgress: (bytes) => onProgress(path, bytes, false, top) }),
          // A raw block cannot carry mode or time.
          ...((mode !== undefined || mtime !== undefined) && { rawLeaves: false }),
          mode,
          mtime,
        });
  if (content !== undefined) onProgress?.(path, fileSize, true, top);
  const named = name === '' ? cid.toString() : name;
  if (parent !== undefined) {
    assertFree(parent, named);
    parent.hasEntries = true;
    parent.children.set(named, { name: named, cid, tsize: dagSize });
  }
  const type = content === undefined ? 'symlink' : 'file';
  return { path: path === '' ? named : path, type, cid, dagSize, isRoot: parent === undefined, top };
}

/** Writes a directory after the directories within it, the deepest ones first. */
async function* writeDirectories<Entry extends TreeEntry>(
  { directory, names, top }: OpenTop<Entry>,
  store: Pick<Blockstore, 'putMany'>,
  options: TreeOptions<Entry>,
  isRoot = true,
): AsyncGenerator<ImportedEntry<Entry>, PbLink> {
  const { emptyDirectories = true, signal } = options;
  const links: PbLink[] = [];
  const slices = Slices.of(signal);
  for (const [name, child] of await inListingOrder(directory, options, slices)) {
    await slices.step();
    if (!isDirectory(child)) links.push(child);
    else if (emptyDirectories || child.hasEntries) {
      const open = { directory: child, names: [...names, name], top };
      links.push({ ...(yield* writeDirectories(open, store, options, false)), name });
    }
  }
  signal?.throwIfAborted();
  const { cid, dagSize } = await importDirectory(links, store, { ...options, ...directory.metadata });
  yield { path: names.join('/'), type: 'directory', cid, dagSize, isRoot, top };
  return { name: '', cid, tsize: dagSize };
}
