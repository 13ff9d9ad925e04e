import { type Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { type ByteSource, chunksOfSource } from '@cairn/platform';
import {
  catFile,
  collapseFile,
  editFile,
  importFile,
  type NamingOptions,
  readNode,
  rewriteNode,
  type UnixfsTime,
} from '@cairn/unixfs';
import { FileNotFoundError, NotAFilePathError, TreeChangeError } from './errors.ts';
import { type FileTree, namingFrom } from './file-tree.ts';
import { pathOf, type TreePath } from './tree-path.ts';

/**
 * Content up to this length in bytes stays in memory until it is written. Longer content is written to blocks as it
 * arrives.
 */
const heldBytesMax = 1024 * 1024;

export interface FileNaming extends NamingOptions {
  /** Writes new leaves as raw blocks. Default: true with CID version 1. */
  readonly rawLeaves?: boolean;
  /** Chunker in Kubo's notation. Default: `size-262144`. */
  readonly chunker?: string;
}

export interface WriteFileOptions {
  /** Offset of the first written byte. A gap after the end of the file is filled with zeros. Default: 0. */
  readonly offset?: number;
  /** Creates the file if it does not exist. Default: false. */
  readonly create?: boolean;
  /** Creates missing parent directories. Default: false. */
  readonly parents?: boolean;
  /** Empties the file before the write. Default: false. */
  readonly truncate?: boolean;
  /** CID version and hash function of a new file and of new directories. An existing file keeps its own. */
  readonly naming?: FileNaming;
}

/** Received bytes, which can be written any number of times. */
export type Content =
  | { readonly bytes: Uint8Array }
  | { readonly cid: CID; readonly naming: FileNaming & { readonly cidVersion: 0 | 1; readonly hash: string } };

/**
 * Receives content before the tree is read, so that a slow client blocks no other change, and the change can be repeated.
 * `naming` is the expected CID version and hash function of the file: content received with it need not be written again.
 * @throws BYTES_INVALID, and what `importFile` throws
 */
export async function receiveContent(
  source: ByteSource,
  blocks: Pick<Blockstore, 'get' | 'putMany'>,
  naming: FileNaming & { readonly cidVersion: 0 | 1; readonly hash: string },
  signal?: AbortSignal,
): Promise<Content> {
  const held: Uint8Array[] = [];
  let length = 0;
  const iterator = chunksOfSource(source)[Symbol.asyncIterator]();
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
  return { cid: rawLeaves ? await collapseFile(blocks, cid) : cid, naming };
}

/**
 * Writes content into a file of a tree.
 * @throws FILE_NOT_FOUND, NOT_A_FILE, NOT_A_DIRECTORY, OPTION_INVALID, and what `editFile` and `importFile` throw
 */
export async function writeFile(
  tree: FileTree,
  path: TreePath,
  content: Content,
  options: WriteFileOptions = {},
): Promise<void> {
  const { offset = 0, create = false, parents = false, truncate = false, naming = {} } = options;
  if (parents) await tree.makeDirectory(parentOf(path), { parents, naming });
  const found = await tree.find(path);
  if (found === undefined && (!create || path.isInto)) throw new FileNotFoundError(path.text);
  if (found !== undefined) await assertFile(tree, path, found);
  const { rawLeaves, chunker } = naming;
  const leaves = { ...(rawLeaves !== undefined && { rawLeaves }), ...(chunker !== undefined && { chunker }) };
  const named = { ...leaves, ...namingFrom(naming) };
  const edit = { ...(found ? leaves : named), ...tree.read, offset, truncate };
  const cid =
    found === undefined && offset === 0 && 'cid' in content && isSame(content.naming, named)
      ? content.cid
      : (await editFile(tree.blocks, found, read(tree, content), edit)).cid;
  await tree.replace(path, cid);
}

/** Returns the directory that `parents` creates. For a path that ends with a slash it is the whole path, as in Kubo. */
function parentOf({ names, isInto }: TreePath): TreePath {
  return pathOf(isInto ? names : names.slice(0, -1));
}

function isSame(a: FileNaming, b: FileNaming): boolean {
  return (['cidVersion', 'hash', 'rawLeaves', 'chunker'] as const).every((key) => a[key] === b[key]);
}

async function* read(tree: FileTree, content: Content): AsyncGenerator<Uint8Array> {
  if ('cid' in content) yield* catFile(tree.blocks, content.cid, tree.read);
  else if (content.bytes.length > 0) yield content.bytes;
}

/** @throws NOT_A_FILE */
async function assertFile(tree: FileTree, { text }: TreePath, cid: CID): Promise<void> {
  const { type } = await readNode(tree.blocks, cid, tree.read);
  if (type === 'symlink') throw new TreeChangeError('symlinks not yet supported', text);
  if (type !== 'file' && type !== 'raw') throw new NotAFilePathError(text);
}

/** Sets the time of an entry. @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, OPTION_INVALID */
export async function touch(tree: FileTree, path: TreePath, mtime: UnixfsTime): Promise<void> {
  const { cid } = await rewriteNode(tree.blocks, await tree.lookup(path), { mtime, ...tree.read });
  await tree.replace(path, cid);
}
