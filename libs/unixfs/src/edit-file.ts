import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { type CID, codecs, hashFunction } from '@cairn/cid';
import { appendTrickle, subtreesOf } from './append-trickle.ts';
import { BlockWriter, linkTo, type NamingOptions } from './block-writer.ts';
import { ByteCursor } from './byte-cursor.ts';
import { depthMax } from './cat-file.ts';
import { chunksOf } from './chunker.ts';
import { createChunker } from './create-chunker.ts';
import { InvalidNodeError, InvalidOptionError, NotAFileError } from './errors.ts';
import type { LayoutOptions, Subtree } from './file-layout.ts';
import type { ImportResult } from './import-file.ts';
import { assertMetadata } from './metadata.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { openChunks } from './trickle-layout.ts';
import { encodeUnixfsData, type UnixfsMetadata, type UnixfsType } from './unixfs-data.ts';

/** A file may be written this far beyond its end, in bytes: what lies between becomes zeros. */
export const gapBytesMax = 1024 ** 3;

/** Zeros are written in chunks of this many bytes, as in Kubo: they are all the same block. */
const zeroChunkBytes = 4096;

export interface FileEditOptions extends NamingOptions, UnixfsMetadata {
  /** First byte that is written. Default 0. */
  readonly offset?: number;
  /** For new leaves: as raw blocks. Default: with CID version 1. */
  readonly rawLeaves?: boolean;
  /** For what is added behind the end, in Kubo's notation. Default `size-262144`. */
  readonly chunker?: string;
  /** Links of a node at most. Default 174. */
  readonly fileLinksMax?: number;
  readonly signal?: AbortSignal;
}

type EditStore = Pick<Blockstore, 'get' | 'putMany'>;

/**
 * Writes bytes into a file, over those that are there and beyond its end, and gives the file that results; without a
 * `file`, a new one. Like Kubo it overwrites leaves in their place, adds the rest as leaves of their own in the trickle
 * layout, and never puts content into the root. Leaves that nothing is written to are neither read nor written.
 * CID version, hash function, mode and time stay as they are, unless the options say otherwise. Blocks are **not**
 * durable before `sync`.
 * @throws NOT_A_FILE, OPTION_INVALID, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, what the source throws
 */
export async function editFile(
  store: EditStore,
  file: CID | undefined,
  source: AsyncIterable<Uint8Array>,
  options: FileEditOptions = {},
): Promise<ImportResult> {
  const { signal, offset = 0, chunker = 'default', fileLinksMax: linksMax = 174 } = options;
  const read = signal ? { signal } : {};
  const node = file && (await readNode(store, file, read));
  if (node && node.type !== 'file' && node.type !== 'raw') throw new NotAFileError(node.cid.toString(), node.type);
  const size = node?.fileSize ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0 || offset - size > gapBytesMax) {
    throw new InvalidOptionError(
      'offset',
      `expected 0 to ${size + gapBytesMax} for a file of ${size} bytes, not ${offset}`,
    );
  }
  assertMetadata(options);
  const { mode = node?.mode, mtime = node?.mtime } = options;
  const writer = new BlockWriter(store, { ...(file && namingOf(file)), ...options });
  const rawLeaves = options.rawLeaves ?? writer.cidVersion === 1;
  const layout: LayoutOptions = { writer, rawLeaves, linksMax, metadata: {} };
  const cursor = new ByteCursor(source);
  const root = node ? await new Overwriting(store, layout, cursor, read).open(node, offset, 0) : emptyRoot();
  const append = async (chunks: AsyncIterable<Uint8Array>) => {
    // The last nodes are read again when more is added to them.
    await writer.flush();
    const leaves = await openChunks(chunks);
    try {
      await appendTrickle(root.subtrees, leaves, { ...layout, store, read });
    } finally {
      await leaves.close();
    }
  };
  const isChanged = offset > size || !(await cursor.isAtEnd());
  if (isChanged) root.subtrees.unshift(...(await leafOf(root, writer)));
  if (offset > size) await append(chunksOf(zeros(offset - size), zeroChunkBytes));
  if (!(await cursor.isAtEnd())) await append(createChunker(chunker)(cursor.rest()));
  const { link, fileSize } = await write(root, writer, { mode, mtime });
  await writer.flush();
  return { cid: link.cid, dagSize: link.tsize, fileSize };
}

function namingOf(file: CID): { readonly cidVersion: 0 | 1; readonly hash: string } {
  const { name } = hashFunction(file.multihash.code);
  return { cidVersion: file.version, hash: name === 'identity' ? 'sha2-256' : name };
}

/** A node whose bytes and links may still change. */
interface OpenNode {
  readonly isRaw: boolean;
  readonly type: UnixfsType;
  readonly data: Uint8Array;
  readonly subtrees: Subtree[];
}

function emptyRoot(): OpenNode {
  return { isRaw: false, type: 'file', data: new Uint8Array(0), subtrees: [] };
}

/** A raw block cannot link to anything: what it holds becomes a leaf of its own. */
async function leafOf(root: OpenNode, writer: BlockWriter): Promise<Subtree[]> {
  if (!root.isRaw || root.data.length === 0) return [];
  const block = await writer.putRaw(root.data);
  return [{ link: linkTo(block, []), fileSize: root.data.length }];
}

async function write(node: OpenNode, writer: BlockWriter, { mode, mtime }: UnixfsMetadata): Promise<Subtree> {
  const { isRaw, type, subtrees } = node;
  const hasMetadata = mode !== undefined || mtime !== undefined;
  if (isRaw && subtrees.length === 0 && !hasMetadata) {
    const block = await writer.putRaw(node.data);
    return { link: linkTo(block, []), fileSize: node.data.length };
  }
  // The bytes of a raw root that was added to are in its first leaf by now.
  const data = isRaw && subtrees.length > 0 ? new Uint8Array(0) : node.data;
  const blockSizes = subtrees.map(({ fileSize }) => fileSize);
  const fileSize = blockSizes.reduce((sum, size) => sum + size, data.length);
  const links = subtrees.map(({ link }) => link);
  const message = { type, ...(data.length > 0 && { data }), fileSize, blockSizes, mode, mtime };
  const block = await writer.putNode(links, encodeUnixfsData(message));
  return { link: linkTo(block, links), fileSize };
}

/** Writes bytes over those of a tree, whose shape stays as it is. */
class Overwriting {
  readonly #store: EditStore;
  readonly #layout: LayoutOptions;
  readonly #cursor: ByteCursor;
  readonly #read: ReadOptions;

  constructor(store: EditStore, layout: LayoutOptions, cursor: ByteCursor, read: ReadOptions) {
    this.#store = store;
    this.#layout = layout;
    this.#cursor = cursor;
    this.#read = read;
  }

  /** A node with the next bytes written from `offset` on, up to its end. */
  async open(node: UnixfsNode, offset: number, depth: number): Promise<OpenNode> {
    const { signal } = this.#read;
    signal?.throwIfAborted();
    const name = node.cid.toString();
    if (depth > depthMax) throw new InvalidNodeError(name, `its tree is deeper than ${depthMax}`);
    const data = await this.#over(node.data, offset);
    const subtrees = subtreesOf(node);
    let start = node.data.length;
    for (const [index, { link, fileSize }] of subtrees.entries()) {
      const end = start + fileSize;
      if (end > offset && !(await this.#cursor.isAtEnd())) {
        const child = await readNode(this.#store, link.cid, this.#read);
        if (child.fileSize !== fileSize)
          throw new InvalidNodeError(name, `it declares ${fileSize} bytes for a child of ${child.fileSize}`);
        const opened = await this.open(child, Math.max(0, offset - start), depth + 1);
        const { mode, mtime } = child;
        subtrees[index] = await write(opened, this.#layout.writer, { mode, mtime });
      }
      start = end;
    }
    return { isRaw: node.cid.code === codecs.raw, type: node.type, data, subtrees };
  }

  async #over(data: Uint8Array, offset: number): Promise<Uint8Array> {
    if (offset >= data.length) return data;
    const written = await this.#cursor.take(data.length - offset);
    if (written.length === 0) return data;
    const changed = Buffer.from(data);
    changed.set(written, offset);
    return changed;
  }
}

const zeroBytes = new Uint8Array(64 * 1024);

async function* zeros(length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; left -= zeroBytes.length) yield zeroBytes.subarray(0, left);
}
