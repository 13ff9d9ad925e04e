import { type Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import {
  catFile,
  editFile,
  importFile,
  type NamingOptions,
  readNode,
  rewriteNode,
  type UnixfsMetadata,
} from '@cairn/unixfs';
import { FileNotFoundError, NotAFilePathError } from './errors.ts';
import { type FileTree, inherit, namingOf } from './file-tree.ts';
import type { TreePath } from './tree-path.ts';

/** Content up to this length is held in memory until it is written; longer content goes to blocks at once. */
const heldBytesMax = 1024 * 1024;

export interface FileNaming extends NamingOptions {
  /** New leaves as raw blocks. Default: with CID version 1. */
  readonly rawLeaves?: boolean;
  /** Kubo's notation. Default `size-262144`. */
  readonly chunker?: string;
  /** Links of a node at most. Default 174. */
  readonly fileLinksMax?: number;
}

export interface WriteFileOptions extends UnixfsMetadata {
  /** Byte to write at; what lies between it and the end of the file becomes zeros. Default 0. */
  readonly offset?: number;
  /** Makes the file when it is not there. Default false. */
  readonly create?: boolean;
  /** Makes the directories on the way that are not there. Default false. */
  readonly parents?: boolean;
  /** Empties the file before it is written. Default false. */
  readonly truncate?: boolean;
  readonly naming?: FileNaming;
}

/** Bytes that are ready to be written, any number of times. */
export type Content =
  | { readonly bytes: Uint8Array }
  | { readonly cid: CID; readonly naming: FileNaming & { readonly cidVersion: 0 | 1; readonly hash: string } };

/**
 * Takes content in before the tree is looked at, so that a slow client holds nothing up and a change can be repeated.
 * `naming` is how the file will most likely be named: content that is taken so need not be written a second time.
 */
export async function takeContent(
  source: AsyncIterable<Uint8Array>,
  blocks: Pick<Blockstore, 'putMany'>,
  naming: FileNaming & { readonly cidVersion: 0 | 1; readonly hash: string },
  signal?: AbortSignal,
): Promise<Content> {
  const held: Uint8Array[] = [];
  let length = 0;
  const iterator = source[Symbol.asyncIterator]();
  while (length <= heldBytesMax) {
    const { done, value } = await iterator.next();
    if (done) return { bytes: Buffer.concat(held) };
    held.push(value);
    length += value.length;
  }
  async function* all() {
    yield* held.splice(0);
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const { rawLeaves = naming.cidVersion === 1 } = naming;
  const how = { ...naming, rawLeaves, layout: 'trickle' as const, ...(signal && { signal }) };
  const { cid } = await importFile(all(), blocks, how);
  return { cid, naming };
}

/**
 * Writes content into a file of a tree.
 * @throws FILE_NOT_FOUND, NOT_A_FILE, NOT_A_DIRECTORY, OPTION_INVALID, and as `editFile` and `importFile` do
 */
export async function writeFile(
  tree: FileTree,
  path: TreePath,
  content: Content,
  options: WriteFileOptions = {},
): Promise<void> {
  const { offset = 0, create = false, parents = false, truncate = false, naming = {}, mode, mtime } = options;
  const found = await tree.find(path);
  if (found === undefined && !create) throw new FileNotFoundError(path.text);
  if (path.names.length === 0 || path.isInto) throw new NotAFilePathError(path.text);
  const before = found && (await fileAt(tree, path, found));
  const metadata = { ...(mode !== undefined && { mode }), ...(mtime !== undefined && { mtime }) };
  const inherited = found ? namingOf(found) : await tree.namingAt(path);
  const named = { ...naming, ...inherit(inherited, naming), ...tree.read };
  const kept = truncate && before ? { mode: before.mode, mtime: before.mtime } : {};
  const edited = { ...kept, ...metadata };
  const isWhole = offset === 0 && (before === undefined || truncate);
  const hasMetadata = edited.mode !== undefined || edited.mtime !== undefined;
  const cid =
    isWhole && !hasMetadata && 'cid' in content && isSame(content.naming, named)
      ? content.cid
      : (
          await editFile(tree.blocks, truncate ? undefined : before?.cid, read(tree, content), {
            ...named,
            ...defined(edited),
            offset,
          })
        ).cid;
  await tree.put(path, cid, { parents, replace: true });
}

function isSame(a: FileNaming, b: FileNaming): boolean {
  return (['cidVersion', 'hash', 'rawLeaves', 'chunker', 'fileLinksMax'] as const).every((key) => a[key] === b[key]);
}

async function* read(tree: FileTree, content: Content): AsyncGenerator<Uint8Array> {
  if ('cid' in content) yield* catFile(tree.blocks, content.cid, tree.read);
  else if (content.bytes.length > 0) yield content.bytes;
}

/** @throws NOT_A_FILE */
async function fileAt(tree: FileTree, path: TreePath, cid: CID) {
  const node = await readNode(tree.blocks, cid, tree.read);
  if (node.type !== 'file' && node.type !== 'raw') throw new NotAFilePathError(path.text);
  return node;
}

/**
 * Sets the time of what is at a path; a file that is not there is made, empty.
 * @throws NOT_A_DIRECTORY, OPTION_INVALID
 */
export async function touch(
  tree: FileTree,
  path: TreePath,
  { parents = false, naming = {}, mtime }: Pick<WriteFileOptions, 'parents' | 'naming' | 'mtime'>,
): Promise<void> {
  const found = await tree.find(path);
  if (found === undefined) {
    const content = { bytes: new Uint8Array(0) };
    await writeFile(tree, path, content, { create: true, parents, naming, mtime });
  } else await tree.replace(path, (await rewriteNode(tree.blocks, found, { mtime, ...tree.read })).cid);
}

function defined(metadata: UnixfsMetadata): UnixfsMetadata {
  const { mode, mtime } = metadata;
  return { ...(mode !== undefined && { mode }), ...(mtime !== undefined && { mtime }) };
}
