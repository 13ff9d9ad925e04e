import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { PbLink } from './dag-pb.ts';
import { InvalidOptionError } from './errors.ts';
import { type DirectoryOptions, importDirectory } from './import-directory.ts';
import { type ImportOptions, importFile } from './import-file.ts';
import { importSymlink } from './import-symlink.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

/** A file, directory or symlink of a tree. */
export interface TreeEntry extends UnixfsMetadata {
  /** Names separated by slashes, for example `photos/2024/a.jpg`. Empty: a file at the top that is named by its CID. */
  readonly path: string;
  /** The bytes of a file. With neither this nor {@link symlink} the entry is a directory. */
  readonly content?: AsyncIterable<Uint8Array>;
  /** The target of a symlink. */
  readonly symlink?: string;
}

/** A part of the tree that has been written. */
export interface ImportedEntry extends UnixfsMetadata {
  /** As given, or the CID of a file without a name; `''` for the directory around everything. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly cid: CID;
  /** Size of the whole DAG in bytes: Kubo's `Size`. */
  readonly dagSize: number;
  /** True for the roots of the import: entries at the top, or the directory around them. */
  readonly isRoot: boolean;
}

export interface TreeOptions
  extends Omit<ImportOptions, 'mode' | 'mtime' | 'onProgress'>,
    Omit<DirectoryOptions, 'mode' | 'mtime'> {
  /** Puts a directory around all entries; it is the one root then. Default false. */
  readonly wrap?: boolean;
  /** Told the number of bytes taken of a file so far, and once more when it is done. */
  readonly onProgress?: (path: string, bytes: number, isDone: boolean) => void;
}

export const treeLimits = {
  /** Names and CIDs of a tree are held in memory until its directories are written. */
  entriesMax: 1_000_000,
  /** Deeper paths are no file system's. */
  depthMax: 256,
} as const;

/**
 * Writes files, symlinks and directories and yields each when it is done: files and symlinks as they come, then the
 * directories, each after those within it. Directories that only occur within paths are made. Blocks are **not** durable
 * before `store.sync()`.
 * @throws OPTION_INVALID, HASH_UNSUPPORTED, what the sources and the store throw, the reason of the signal
 */
export async function* importTree(
  entries: AsyncIterable<TreeEntry> | Iterable<TreeEntry>,
  store: Pick<Blockstore, 'putMany'>,
  options: TreeOptions = {},
): AsyncGenerator<ImportedEntry> {
  const { wrap = false, onProgress, signal, ...shared } = options;
  const root = newDirectory();
  let count = 0;
  for await (const entry of entries) {
    signal?.throwIfAborted();
    if (++count > treeLimits.entriesMax) {
      throw new InvalidOptionError('path', `the tree has more than ${treeLimits.entriesMax} entries`);
    }
    const { path, content, symlink, mode, mtime } = entry;
    const isLeaf = content !== undefined || symlink !== undefined;
    const { parent, name, depth } = path === '' && isLeaf ? { parent: root, name: path, depth: 0 } : place(root, path);
    if (!isLeaf) {
      openDirectory(parent, name, path, { mode, mtime });
      continue;
    }
    // Without a directory around them, files at the top are imports of their own: they may have one name.
    const isAlone = depth === 0 && !wrap;
    if (!isAlone && parent.children.has(name))
      throw new InvalidOptionError('path', `${JSON.stringify(path)} is there twice`);
    const result =
      content === undefined
        ? await importSymlink(symlink ?? '', store, { ...shared, mtime })
        : await importFile(content, store, {
            ...shared,
            ...(signal && { signal }),
            ...(onProgress && { onProgress: (bytes) => onProgress(path, bytes, false) }),
            // A raw block could not carry them.
            ...((mode !== undefined || mtime !== undefined) && { rawLeaves: false }),
            mode,
            mtime,
          });
    const { cid, dagSize, fileSize } = result;
    if (content !== undefined) onProgress?.(path, fileSize, true);
    const named = name === '' ? cid.toString() : name;
    if (!isAlone) parent.children.set(named, { name: named, cid, tsize: dagSize });
    const type = content === undefined ? 'symlink' : 'file';
    yield { path: path === '' ? named : path, type, cid, dagSize, isRoot: isAlone, mode, mtime };
  }
  yield* writeDirectories(root, '', { store, shared, wrap, signal });
}

interface Directory {
  /** Set by the entry that names the directory itself, if one does. */
  metadata: UnixfsMetadata;
  readonly children: Map<string, PbLink | Directory>;
}

const newDirectory = (): Directory => ({ metadata: {}, children: new Map() });

function isDirectory(child: PbLink | Directory): child is Directory {
  return 'children' in child;
}

/** The directory that `path` ends in, made where it is missing, and the last name. */
function place(root: Directory, path: string): { parent: Directory; name: string; depth: number } {
  const names = path.split('/');
  const name = names.pop() ?? '';
  if (names.length >= treeLimits.depthMax) {
    throw new InvalidOptionError('path', `it has more than ${treeLimits.depthMax} names: ${path.slice(0, 100)}`);
  }
  for (const each of [...names, name]) {
    if (each === '' || each === '.' || each === '..') {
      throw new InvalidOptionError('path', `${JSON.stringify(path.slice(0, 200))} has an empty or relative name`);
    }
  }
  let parent = root;
  for (const each of names) parent = openDirectory(parent, each, path);
  return { parent, name, depth: names.length };
}

function openDirectory(parent: Directory, name: string, path: string, metadata?: UnixfsMetadata): Directory {
  const there = parent.children.get(name);
  if (there !== undefined && !isDirectory(there)) {
    throw new InvalidOptionError('path', `${JSON.stringify(path.slice(0, 200))} needs a directory where a file is`);
  }
  const directory = there ?? newDirectory();
  if (metadata !== undefined) directory.metadata = metadata;
  parent.children.set(name, directory);
  return directory;
}

interface DirectoryContext {
  readonly store: Pick<Blockstore, 'putMany'>;
  readonly shared: DirectoryOptions;
  readonly wrap: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Writes the directories within one, deepest first; the outermost only when it wraps. */
async function* writeDirectories(
  directory: Directory,
  path: string,
  context: DirectoryContext,
): AsyncGenerator<ImportedEntry, PbLink | undefined> {
  const { store, shared, wrap, signal } = context;
  const isTop = path === '';
  const links: PbLink[] = [];
  const names = [...directory.children.keys()].map((name) => Buffer.from(name)).sort(Buffer.compare);
  for (const name of names.map(String)) {
    const child = directory.children.get(name);
    if (child === undefined) continue;
    if (!isDirectory(child)) links.push(child);
    else {
      const link = yield* writeDirectories(child, isTop ? name : `${path}/${name}`, context);
      if (link !== undefined) links.push({ ...link, name });
    }
  }
  if (isTop && !wrap) return undefined;
  signal?.throwIfAborted();
  const { cid, dagSize } = await importDirectory(links, store, { ...shared, ...directory.metadata });
  const isRoot = wrap ? isTop : !path.includes('/');
  yield { path, type: 'directory', cid, dagSize, isRoot, ...directory.metadata };
  return { name: '', cid, tsize: dagSize };
}
