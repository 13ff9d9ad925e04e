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

/** Store of the nodes of a tree. */
export type TreeBlocks = Pick<Blockstore, 'get' | 'putMany' | 'size'>;

/** Thresholds of sharded directories; see `DirectoryOptions`. */
export type ShardingOptions = Pick<
  DirectoryOptions,
  'shardBytes' | 'shardEstimation' | 'shardFanout' | 'directoryLinksMax'
>;

export interface PutOptions {
  /** Replaces an existing entry. Default: false. */
  readonly replace?: boolean;
}

/**
 * One state of a file tree. Each change writes the nodes from the changed entry up to the root, and sets {@link root}.
 * Nothing is durable or visible to others before the root is stored.
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

  /** Returns the bytes of the tree, as its nodes declare them. */
  size(): Promise<number> {
    return dagSizeOf(this.blocks, this.root, this.read);
  }

  get read(): ReadOptions {
    return this.signal ? { signal: this.signal } : {};
  }

  /**
   * Finds the node at a path. Returns `undefined` if the path does not exist.
   * @throws NOT_A_DIRECTORY if the path leads through a file; BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID
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

  /** Finds the node at a path. @throws FILE_NOT_FOUND, and what {@link find} throws */
  async lookup(path: TreePath): Promise<CID> {
    const found = await this.find(path);
    if (found === undefined) throw new FileNotFoundError(path.text);
    return found;
  }

  async isDirectory(cid: CID): Promise<boolean> {
    return isDirectoryNode(await readNode(this.blocks, cid, this.read));
  }

  /**
   * Finds the directory at a path.
   * @param words creates Kubo's message for a path to another node, which depends on the command
   * @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, and what {@link find} throws
   */
  async directoryAt(path: TreePath, words: (text: string) => string): Promise<CID> {
    const cid = await this.lookup(path);
    if (!(await this.isDirectory(cid))) throw new NotADirectoryPathError(path.text, words(path.text));
    return cid;
  }

  /**
   * Puts a node at a path.
   * @throws FILE_NOT_FOUND if the parent directory is missing, ENTRY_EXISTS, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
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

  /** Removes an entry. @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, TREE_CHANGE_INVALID */
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
   * Creates an empty directory. With `parents` it also creates missing parents, and accepts an existing directory.
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
    // Matches Kubo: parents are created with the options of the last directory.
    const options = { ...this.#sharding, ...namingFrom(naming) };
    let made = await importDirectory([], this.blocks, options);
    for (const name of names.slice(depth + 1).reverse())
      made = await importDirectory([{ name, cid: made.cid, tsize: made.dagSize }], this.blocks, options);
    await this.put(pathOf(names.slice(0, depth + 1)), made.cid);
  }

  /** Replaces the node at a path, which can be the root. */
  async replace(path: TreePath, cid: CID): Promise<void> {
    if (path.names.length === 0) this.#root = cid;
    else await this.put(pathOf(path.names), cid, { replace: true });
  }

  /**
   * Applies a change to the parent directory of the last name, and updates the links up to the root. Returns the new root.
   * `noDirectory` is the message if the parent is not a directory.
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

/** Returns the bytes of a DAG, as its root declares them. */
export async function dagSizeOf(blocks: Pick<Blockstore, 'get'>, cid: CID, options: ReadOptions = {}): Promise<number> {
  return (await statNode(blocks, cid, options)).dagSize;
}

/**
 * Returns CID version and hash function of a new file or directory. Omitted options get Kubo's default, not that of the
 * parent.
 */
export function namingFrom({ cidVersion, hash }: NamingOptions): {
  readonly cidVersion: 0 | 1;
  readonly hash: string;
} {
  const isPlain = hash === undefined || hash === 'sha2-256';
  return { cidVersion: cidVersion ?? (isPlain ? 0 : 1), hash: hash ?? 'sha2-256' };
}
