import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import {
  addLink,
  type DirectoryOptions,
  findEntry,
  importDirectory,
  type NamingOptions,
  readNode,
  removeLink,
  statNode,
  type UnixfsNode,
} from '@cairn/unixfs';
import { EntryExistsError, FileNotFoundError, NotADirectoryPathError, TreeChangeError } from './errors.ts';
import { pathOf, splitPath, type TreePath } from './tree-path.ts';

/** Where the nodes of a tree are read and written. */
export type TreeBlocks = Pick<Blockstore, 'get' | 'putMany' | 'size'>;

/** When directories are sharded; see `DirectoryOptions`. */
export type ShardingOptions = Pick<
  DirectoryOptions,
  'shardBytes' | 'shardEstimation' | 'shardFanout' | 'directoryLinksMax'
>;

export interface PutOptions {
  /** Takes the place of what is there. Default false. */
  readonly replace?: boolean;
}

/**
 * One state of a file tree, and its changes: each writes the nodes from the changed entry up to the root, and moves
 * {@link root}. Nothing is durable, and nobody sees it, before the root is kept.
 */
export class FileTree {
  readonly blocks: TreeBlocks;
  readonly signal: AbortSignal | undefined;
  readonly #sharding: ShardingOptions;
  #root: CID;

  constructor(root: CID, blocks: TreeBlocks, { signal, ...sharding }: ShardingOptions & ReadOptions = {}) {
    this.#root = root;
    this.blocks = blocks;
    this.signal = signal;
    this.#sharding = sharding;
  }

  get root(): CID {
    return this.#root;
  }

  /** Bytes of the tree as its nodes declare them. */
  size(): Promise<number> {
    return dagSizeOf(this.blocks, this.root, this.read);
  }

  get read(): ReadOptions {
    return this.signal ? { signal: this.signal } : {};
  }

  /**
   * What is at a path, or nothing.
   * @throws NOT_A_DIRECTORY where the path leads through a file; BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID
   */
  async find({ names }: TreePath): Promise<CID | undefined> {
    let current = this.#root;
    for (const [index, name] of names.entries()) {
      const node = await this.#directory(current, names.slice(0, index + 1));
      const entry = await findEntry(this.blocks, node, name, this.read);
      if (entry === undefined) return undefined;
      current = entry.cid;
    }
    return current;
  }

  /** What is at a path. @throws FILE_NOT_FOUND, and as {@link find} */
  async lookup(path: TreePath): Promise<CID> {
    const found = await this.find(path);
    if (found === undefined) throw new FileNotFoundError(path.text);
    return found;
  }

  async isDirectory(cid: CID): Promise<boolean> {
    return isDirectoryNode(await readNode(this.blocks, cid, this.read));
  }

  /**
   * The directory at a path, and nothing else.
   * @param words what Kubo says of a path that leads to something else; depends on the command
   * @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, and as {@link find}
   */
  async directoryAt(path: TreePath, words: (text: string) => string): Promise<CID> {
    const cid = await this.lookup(path);
    if (!(await this.isDirectory(cid))) throw new NotADirectoryPathError(path.text, words(path.text));
    return cid;
  }

  /**
   * Puts a node at a path.
   * @throws FILE_NOT_FOUND for a directory on the way, ENTRY_EXISTS, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
   */
  async put(path: TreePath, cid: CID, { replace = false }: PutOptions = {}): Promise<void> {
    const { directory, name } = splitPath(path);
    if (name === '') throw new TreeChangeError('cannot create file with empty name', path.text);
    const put = async (parent: CID) => {
      if (!replace) {
        const node = await readNode(this.blocks, parent, this.read);
        if (await findEntry(this.blocks, node, name, this.read)) throw new EntryExistsError(path.text);
      }
      return await this.#link(parent, name, cid);
    };
    this.#root = await this.#change(this.#root, path.names, 0, put, `${directory.text} is not a directory`);
  }

  /** Takes an entry out. @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, TREE_CHANGE_INVALID */
  async remove(path: TreePath): Promise<void> {
    if (path.names.length === 0) throw new TreeChangeError('cannot delete root', path.text);
    const remove = async (directory: CID, name: string) => {
      const node = await readNode(this.blocks, directory, this.read);
      if ((await findEntry(this.blocks, node, name, this.read)) === undefined) throw new FileNotFoundError(path.text);
      return (await removeLink(this.blocks, directory, name, { ...this.#sharding, ...this.read })).cid;
    };
    this.#root = await this.#change(this.#root, path.names, 0, remove, undefined);
  }

  /**
   * Makes an empty directory; with `parents`, those on the way too, and no error where it is there already.
   * @throws ENTRY_EXISTS, FILE_NOT_FOUND, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
   */
  async makeDirectory(
    { names, text }: TreePath,
    { parents = false, naming = {} }: { readonly parents?: boolean; readonly naming?: NamingOptions } = {},
  ): Promise<void> {
    if (names.length === 0) {
      if (parents) return;
      throw new TreeChangeError("cannot create directory '/': Already exists", text);
    }
    let current = this.#root;
    let depth = 0;
    for (; depth < names.length; depth++) {
      const node = await readNode(this.blocks, current, this.read);
      if (!isDirectoryNode(node))
        throw new NotADirectoryPathError(text, `${names.slice(0, depth - 1).join('/')} was not a directory`);
      const entry = await findEntry(this.blocks, node, names[depth] ?? '', this.read);
      if (entry === undefined) break;
      current = entry.cid;
    }
    if (depth === names.length) {
      if (parents && (await this.isDirectory(current))) return;
      throw new EntryExistsError(text, 'file already exists');
    }
    if (depth < names.length - 1 && !parents) throw new FileNotFoundError(text);
    // The directories on the way are made with the options of the last one, as in Kubo.
    const options = { ...this.#sharding, ...namingFrom(naming) };
    let made = await importDirectory([], this.blocks, options);
    for (const name of names.slice(depth + 1).reverse())
      made = await importDirectory([{ name, cid: made.cid, tsize: made.dagSize }], this.blocks, options);
    await this.put(pathOf(names.slice(0, depth + 1)), made.cid);
  }

  /** Puts another node in the place of the one at a path, the root included. */
  async replace(path: TreePath, cid: CID): Promise<void> {
    if (path.names.length === 0) this.#root = cid;
    else await this.put(pathOf(path.names), cid, { replace: true });
  }

  /**
   * Applies a change to the directory of the last name and links the result up to the root, which it gives.
   * `noDirectory`: the error's words where that directory is none.
   */
  async #change(
    directory: CID,
    names: readonly string[],
    depth: number,
    change: (directory: CID, name: string) => Promise<CID>,
    noDirectory: string | undefined,
  ): Promise<CID> {
    const name = names[depth] ?? '';
    const isLast = depth === names.length - 1;
    const node = await this.#directory(directory, names.slice(0, depth + 1), isLast ? noDirectory : undefined);
    if (isLast) return await change(directory, name);
    const entry = await findEntry(this.blocks, node, name, this.read);
    if (entry === undefined) throw new FileNotFoundError(`/${names.slice(0, depth + 1).join('/')}`);
    return await this.#link(directory, name, await this.#change(entry.cid, names, depth + 1, change, noDirectory));
  }

  async #link(directory: CID, name: string, cid: CID): Promise<CID> {
    const entry = { name, cid, tsize: await dagSizeOf(this.blocks, cid, this.read) };
    return (await addLink(this.blocks, directory, entry, { ...this.#sharding, ...this.read })).cid;
  }

  async #directory(cid: CID, names: readonly string[], words?: string): Promise<UnixfsNode> {
    const node = await readNode(this.blocks, cid, this.read);
    if (!isDirectoryNode(node)) throw new NotADirectoryPathError(pathOf(names).text, words);
    return node;
  }
}

function isDirectoryNode({ type }: UnixfsNode): boolean {
  return type === 'directory' || type === 'hamt-sharded-directory';
}

/** Bytes of a DAG as its root declares them. */
export async function dagSizeOf(blocks: Pick<Blockstore, 'get'>, cid: CID, options: ReadOptions = {}): Promise<number> {
  return (await statNode(blocks, cid, options)).dagSize;
}

/** How a new file or directory is named: Kubo's default, not that of the directory above, for what is left out. */
export function namingFrom({ cidVersion, hash }: NamingOptions): {
  readonly cidVersion: 0 | 1;
  readonly hash: string;
} {
  const isPlain = hash === undefined || hash === 'sha2-256';
  return { cidVersion: cidVersion ?? (isPlain ? 0 : 1), hash: hash ?? 'sha2-256' };
}
