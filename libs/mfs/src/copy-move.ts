import type { CID } from '@cairn/cid';
import { InvalidNodeError, type NamingOptions, statNode } from '@cairn/unixfs';
import {
  DirectoryRemovalError,
  EntryExistsError,
  FileNotFoundError,
  TreeChangeError,
  UnderstatedDagError,
} from './errors.ts';
import type { FileTree } from './file-tree.ts';
import type { TreeSession } from './mfs.ts';
import { below, type TreePath } from './tree-path.ts';

/** What is copied: a node, and the name that it has where it comes from. */
export interface CopySource {
  readonly cid: CID;
  readonly name: string;
  /** A node from outside of the tree is walked, so that the tree never links to what is not here. */
  readonly isOutside: boolean;
}

export interface CopyOptions {
  readonly session: TreeSession;
  /** Makes the directories on the way, and the destination itself for several sources. Default false. */
  readonly parents?: boolean;
  /** Replaces what is at the destination. Default false. */
  readonly force?: boolean;
  readonly naming?: NamingOptions;
}

/**
 * Makes sure that a DAG from outside may become part of a tree: it is UnixFS, all of it is here, and it declares what it
 * holds. What it held is kept from collection while the session lasts.
 * @throws DAG_INVALID, BLOCK_NOT_FOUND, CODEC_UNSUPPORTED
 */
export async function admit(tree: FileTree, session: TreeSession, cid: CID): Promise<void> {
  const { bytes } = await session.touch(cid);
  let declared: number;
  try {
    declared = (await statNode(tree.blocks, cid, tree.read)).dagSize;
  } catch (error) {
    if (error instanceof InvalidNodeError)
      throw new TreeChangeError('source must be a valid UnixFS (dag-pb or raw codec)', cid.toString());
    throw error;
  }
  if (declared < bytes) throw new UnderstatedDagError(cid.toString(), declared, bytes);
}

/**
 * Copies nodes to a path: into it, where it is a directory or there are several. Nothing is read or written but nodes of
 * directories on the way.
 * @throws FILE_NOT_FOUND, ENTRY_EXISTS, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
 */
export async function copyInto(
  tree: FileTree,
  sources: readonly CopySource[],
  to: TreePath,
  { session, parents = false, force = false, naming }: CopyOptions,
): Promise<void> {
  const into = await destination(tree, to, sources.length > 1, { parents, ...(naming && { naming }) });
  for (const { cid, name, isOutside } of sources) {
    if (isOutside) await admit(tree, session, cid);
    const path = into ? below(to, name) : to;
    await tree.put(path, cid, { parents, replace: force, ...(naming && { naming }) });
  }
}

/** Whether the destination is a directory that takes the sources in; for several it must be, or is made. */
async function destination(
  tree: FileTree,
  to: TreePath,
  isDirectoryNeeded: boolean,
  options: { readonly parents: boolean; readonly naming?: NamingOptions },
): Promise<boolean> {
  const found = await tree.find(to);
  if (found !== undefined) {
    const isDirectory = await tree.isDirectory(found);
    if (!isDirectory && isDirectoryNeeded) throw new EntryExistsError(to.text);
    return isDirectory;
  }
  if (!isDirectoryNeeded) return to.isInto;
  if (!options.parents)
    throw new TreeChangeError('destination did not exist: ask with parents=true to make it', to.text);
  await tree.makeDirectory(to, options);
  return true;
}

/**
 * Moves entries to a path: into it, where it is a directory. A file at the destination is replaced, as in Kubo.
 * @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
 */
export async function move(
  tree: FileTree,
  from: readonly TreePath[],
  to: TreePath,
  { parents = false }: { readonly parents?: boolean } = {},
): Promise<void> {
  const into = await destination(tree, to, from.length > 1, { parents });
  for (const source of from) {
    const name = source.names.at(-1);
    if (name === undefined) throw new TreeChangeError('cannot move root', source.text);
    const cid = await tree.lookup(source);
    const path = into ? below(to, name) : to;
    if (path.text === source.text) continue;
    if (path.text.startsWith(`${source.text}/`))
      throw new TreeChangeError(`cannot move ${source.text} into itself`, source.text);
    const there = await tree.find(path);
    if (there !== undefined && (await tree.isDirectory(there))) throw new EntryExistsError(path.text);
    await tree.remove(source);
    await tree.put(path, cid, { parents, replace: true });
  }
}

/**
 * Removes an entry. With `force` a path that is not there is no error, and a directory goes as well.
 * @throws FILE_NOT_FOUND, IS_A_DIRECTORY, TREE_CHANGE_INVALID
 */
export async function remove(
  tree: FileTree,
  path: TreePath,
  { recursive = false, force = false }: { readonly recursive?: boolean; readonly force?: boolean } = {},
): Promise<void> {
  if (path.names.length === 0) throw new TreeChangeError('cannot delete root', path.text);
  const found = await tree.find(path);
  if (found === undefined) {
    if (force) return;
    throw new FileNotFoundError(path.text);
  }
  // What is to go with everything below it need not be readable.
  if (!recursive && !force && (await tree.isDirectory(found))) throw new DirectoryRemovalError(path.text);
  await tree.remove(path);
}
