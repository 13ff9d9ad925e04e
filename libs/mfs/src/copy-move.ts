import type { CID } from '@cairn/cid';
import { InvalidNodeError, statNode } from '@cairn/unixfs';
import {
  DirectoryRemovalError,
  EntryExistsError,
  FileNotFoundError,
  NotADirectoryPathError,
  TreeChangeError,
  UnderstatedDagError,
} from './errors.ts';
import type { FileTree } from './file-tree.ts';
import type { TreeWriteSession } from './mfs.ts';
import { childPath, splitPath, type TreePath } from './tree-path.ts';

/** Message of Kubo's `rm` and `write` if the parent of a path is not a directory. */
const noDirectory = () => "expected *mfs.Directory, didn't get it. This is likely a race condition";
const isNoDirectory = (text: string) => `${text} is not a directory`;

/**
 * Requires a DAG from outside that can become part of a tree: it is UnixFS, complete in the store, and declares at least
 * its actual size. The session protects it from garbage collection. `replacedBytes` is the size of the entry that it
 * replaces.
 * @throws DAG_INVALID, BLOCK_NOT_FOUND, CODEC_UNSUPPORTED; QUOTA_EXCEEDED before the DAG is walked
 */
export async function adoptDag(tree: FileTree, session: TreeWriteSession, cid: CID, replacedBytes = 0): Promise<void> {
  let declared: number;
  try {
    declared = (await statNode(tree.blocks, cid, tree.read)).dagSize;
  } catch (error) {
    if (error instanceof InvalidNodeError)
      throw new TreeChangeError('cp: source must be a valid UnixFS (dag-pb or raw codec)', cid.toString());
    throw error;
  }
  // A tree counts the declared size, so a DAG above the quota is refused without a walk.
  await session.assertQuota?.(declared - replacedBytes);
  const { bytes } = await session.touch(cid);
  if (declared < bytes) throw new UnderstatedDagError(cid.toString(), declared, bytes);
}

/**
 * Removes a file, so that another one can be put at its path. Does nothing if there is none.
 * @throws NOT_A_DIRECTORY, TREE_CHANGE_INVALID for a directory at the path
 */
export async function unlinkFile(tree: FileTree, path: TreePath): Promise<void> {
  const above = splitPath(path).directory;
  const parent = await tree.find(above);
  if (parent === undefined) return;
  if (!(await tree.isDirectory(parent))) throw new NotADirectoryPathError(above.text, `not a directory: ${above.text}`);
  const found = await tree.find(path);
  if (found === undefined) return;
  if (await tree.isDirectory(found)) throw new TreeChangeError(`not a file: ${path.text}`, path.text);
  await tree.remove(path);
}

/**
 * Moves an entry to a path, or into the directory at that path. A file at the destination is replaced, as in Kubo.
 * @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, ENTRY_EXISTS, TREE_CHANGE_INVALID
 */
export async function move(tree: FileTree, from: TreePath, to: TreePath): Promise<void> {
  const source = splitPath(from);
  const target = to.isInto ? childPath(to, from.names.at(-1) ?? '') : to;
  await tree.directoryAt(splitPath(target).directory, isNoDirectory);
  await tree.directoryAt(source.directory, isNoDirectory);
  if (source.name === '') throw new FileNotFoundError(from.text);
  const cid = await tree.lookup(from);
  const there = await tree.find(target);
  const isInto = there !== undefined && (await tree.isDirectory(there));
  const path = isInto ? childPath(target, source.name) : target;
  // Kubo loses a directory that is moved into itself, and reports this message if the destination has another name.
  if (`${path.text}/`.startsWith(`${from.text}/`) && path.text !== from.text)
    throw new TreeChangeError(
      `cp: cannot flush the destination file's parent folder ${to.text}: file does not exist`,
      from.text,
    );
  if (isInto && (await tree.find(path)) !== undefined) throw new EntryExistsError(path.text);
  if (path.text === from.text) return;
  await tree.remove(from);
  await tree.put(path, cid, { replace: true });
}

/**
 * Removes an entry. With `force` a missing path is not an error, and a directory is removed as well.
 * @throws FILE_NOT_FOUND, IS_A_DIRECTORY, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
 */
export async function remove(
  tree: FileTree,
  { names, text }: TreePath,
  { recursive = false, force = false }: { readonly recursive?: boolean; readonly force?: boolean } = {},
): Promise<void> {
  if (names.length === 0) throw new TreeChangeError('cannot delete root', text);
  const path = { names, text: `/${names.join('/')}`, isInto: false };
  const parent = await tree.find(splitPath(path).directory);
  if (parent !== undefined && !(await tree.isDirectory(parent))) throw new NotADirectoryPathError(text, noDirectory());
  const found = parent && (await tree.find(path));
  if (found === undefined) {
    if (force) return;
    throw new FileNotFoundError(text);
  }
  // An entry that is removed recursively need not be readable.
  if (!recursive && !force && (await tree.isDirectory(found))) throw new DirectoryRemovalError(text);
  await tree.remove(path);
}
