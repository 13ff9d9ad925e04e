import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { type CID, hashFunction } from '@cairn/cid';
import {
  addLink,
  type DirectoryOptions,
  findEntry,
  importDirectory,
  type NamingOptions,
  readNode,
  removeLink,
  statNode,
  type UnixfsMetadata,
  type UnixfsNode,
} from '@cairn/unixfs';
import { EntryExistsError, FileNotFoundError, NotADirectoryPathError, TreeChangeError } from './errors.ts';
import { parseTreePath, type TreePath } from './tree-path.ts';

/** Where the nodes of a tree are read and written. */
export type TreeBlocks = Pick<Blockstore, 'get' | 'putMany' | 'size'>;

/** When directories are sharded; see `DirectoryOptions`. */
export type ShardingOptions = Pick<
  DirectoryOptions,
  'shardBytes' | 'shardEstimation' | 'shardFanout' | 'directoryLinksMax'
>;

export interface PutOptions {
  /** Makes the directories on the way that are not there. Default false. */
  readonly parents?: boolean;
  /** Takes the place of what is there. Default false. */
  readonly replace?: boolean;
  /** CID version and hash function of directories made on the way. Default: those of the directory above. */
  readonly naming?: NamingOptions;
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
    const { type } = await readNode(this.blocks, cid, this.read);
    return type === 'directory' || type === 'hamt-sharded-directory';
  }

  /**
   * CID version and hash function that a new entry at a path takes over: those of the nearest directory above it.
   * @throws NOT_A_DIRECTORY
   */
  async namingAt({ names }: TreePath): Promise<{ readonly cidVersion: 0 | 1; readonly hash: string }> {
    let nearest = this.#root;
    for (let length = 1; length < names.length; length++) {
      const path = names.slice(0, length);
      const found = await this.find({ names: path, text: `/${path.join('/')}`, isInto: false });
      if (found === undefined) break;
      nearest = found;
    }
    return namingOf(nearest);
  }

  /**
   * Puts a node at a path.
   * @throws FILE_NOT_FOUND for a directory on the way, ENTRY_EXISTS, NOT_A_DIRECTORY, TREE_CHANGE_INVALID
   */
  async put(path: TreePath, cid: CID, { parents = false, replace = false, naming }: PutOptions = {}): Promise<void> {
    if (path.names.length === 0) throw new TreeChangeError('cannot create file with empty name', path.text);
    const put = async (directory: CID, name: string) => {
      if (!replace) {
        const node = await readNode(this.blocks, directory, this.read);
        if (await findEntry(this.blocks, node, name, this.read)) throw new EntryExistsError(path.text);
      }
      return await this.#link(directory, name, cid);
    };
    this.#root = await this.#change(this.#root, path.names, 0, put, parents ? (naming ?? {}) : undefined);
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

  /** Makes an empty directory. @throws ENTRY_EXISTS, FILE_NOT_FOUND, NOT_A_DIRECTORY */
  async makeDirectory(
    path: TreePath,
    { parents = false, naming = {}, ...metadata }: Omit<PutOptions, 'replace'> & UnixfsMetadata = {},
  ): Promise<void> {
    const found = await this.find(path);
    if (found !== undefined) {
      if (parents && (await this.isDirectory(found))) return;
      if (path.names.length === 0) throw new TreeChangeError("cannot create directory '/': Already exists", path.text);
      throw new EntryExistsError(path.text);
    }
    const inherited = inherit(await this.namingAt(path), naming);
    const { cid } = await importDirectory([], this.blocks, { ...inherited, ...metadata });
    await this.put(path, cid, { parents, naming });
  }

  /** Puts another node in the place of the one at a path, the root included. */
  async replace(path: TreePath, cid: CID): Promise<void> {
    if (path.names.length === 0) this.#root = cid;
    else await this.put(path, cid, { replace: true });
  }

  /** Applies a change to the directory of the last name and links the result up to the root, which it gives. */
  async #change(
    directory: CID,
    names: readonly string[],
    depth: number,
    change: (directory: CID, name: string) => Promise<CID>,
    makeParents: NamingOptions | undefined,
  ): Promise<CID> {
    const name = names[depth] ?? '';
    const node = await this.#directory(directory, names.slice(0, depth + 1));
    if (depth === names.length - 1) return await change(directory, name);
    const entry = await findEntry(this.blocks, node, name, this.read);
    if (entry === undefined && !makeParents) throw new FileNotFoundError(`/${names.slice(0, depth + 1).join('/')}`);
    const child =
      entry?.cid ?? (await importDirectory([], this.blocks, inherit(namingOf(directory), makeParents ?? {}))).cid;
    return await this.#link(directory, name, await this.#change(child, names, depth + 1, change, makeParents));
  }

  async #link(directory: CID, name: string, cid: CID): Promise<CID> {
    const entry = { name, cid, tsize: await dagSizeOf(this.blocks, cid, this.read) };
    return (await addLink(this.blocks, directory, entry, { ...this.#sharding, ...this.read })).cid;
  }

  async #directory(cid: CID, names: readonly string[]): Promise<UnixfsNode> {
    const node = await readNode(this.blocks, cid, this.read);
    if (node.type !== 'directory' && node.type !== 'hamt-sharded-directory')
      throw new NotADirectoryPathError(parseTreePath(`/${names.join('/')}`).text);
    return node;
  }
}

/** Bytes of a DAG as its root declares them. */
export async function dagSizeOf(blocks: Pick<Blockstore, 'get'>, cid: CID, options: ReadOptions = {}): Promise<number> {
  return (await statNode(blocks, cid, options)).dagSize;
}

/** How a node was named. One that carries its bytes in its name says nothing about how others are hashed. */
export function namingOf(cid: CID): { readonly cidVersion: 0 | 1; readonly hash: string } {
  const { name } = hashFunction(cid.multihash.code);
  return { cidVersion: cid.version, hash: name === 'identity' ? 'sha2-256' : name };
}

/** What was asked for, and for the rest what is inherited, so that the two go together. */
export function inherit(
  inherited: { readonly cidVersion: 0 | 1; readonly hash: string },
  { cidVersion, hash }: NamingOptions,
): { readonly cidVersion: 0 | 1; readonly hash: string } {
  const version = cidVersion ?? (hash === undefined || hash === 'sha2-256' ? inherited.cidVersion : 1);
  return { cidVersion: version, hash: hash ?? (version === 0 ? 'sha2-256' : inherited.hash) };
}
