import type { Blockstore } from '@cairn/blockstore';
import { type CID, codecs, hashFunction } from '@cairn/cid';
import { layOut } from './balanced-layout.ts';
import { BlockWriter, type NamingOptions } from './block-writer.ts';
import { catFile, depthMax } from './cat-file.ts';
import { chunksOf, defaultChunkBytes, parseChunker } from './chunker.ts';
import { InvalidNodeError, InvalidOptionError, NotAFileError } from './errors.ts';
import type { Subtree } from './file-layout.ts';
import type { ImportResult } from './import-file.ts';
import { readNode, type UnixfsNode } from './node.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

/** A file may be written this far beyond its end, in bytes: what lies between becomes zeros. */
export const gapBytesMax = 1024 ** 3;

export interface FileEditOptions extends NamingOptions, UnixfsMetadata {
  /** First byte that is written. Default 0. */
  readonly offset?: number;
  /** Default: as the leaves of the file are. */
  readonly rawLeaves?: boolean;
  /** For bytes beyond the end: `size-<bytes>`. Default `size-262144`. */
  readonly chunker?: string;
  /** Links of a node at most. Default 174. */
  readonly fileLinksMax?: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes bytes into a file, over those that are there and beyond its end, and gives the file that results. Leaves that
 * nothing is written to are neither read nor written; the nodes above them are laid out anew. CID version, hash function,
 * leaves, mode and time stay as they are, unless the options say otherwise. Blocks are **not** durable before `sync`.
 * @throws NOT_A_FILE, OPTION_INVALID, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, what the source throws
 */
export async function editFile(
  store: Pick<Blockstore, 'get' | 'putMany'>,
  file: CID,
  source: AsyncIterable<Uint8Array>,
  options: FileEditOptions = {},
): Promise<ImportResult> {
  const root = await readNode(store, file, options.signal ? { signal: options.signal } : {});
  if (root.type !== 'file' && root.type !== 'raw') throw new NotAFileError(file.toString(), root.type);
  const { offset = 0, chunker = `size-${defaultChunkBytes}`, fileLinksMax: linksMax = 174 } = options;
  if (!Number.isSafeInteger(offset) || offset < 0 || offset - root.fileSize > gapBytesMax) {
    throw new InvalidOptionError(
      'offset',
      `expected 0 to ${root.fileSize + gapBytesMax} for a file of ${root.fileSize} bytes, not ${offset}`,
    );
  }
  const { mode = root.mode, mtime = root.mtime } = options;
  const metadata = { ...(mode !== undefined && { mode }), ...(mtime !== undefined && { mtime }) };
  const { name: hash } = hashFunction(file.multihash.code);
  const writer = new BlockWriter(store, {
    cidVersion: file.version,
    hash: hash === 'identity' ? 'sha2-256' : hash,
    ...options,
  });
  const hasMetadata = mode !== undefined || mtime !== undefined;
  const rawLeaves = !hasMetadata && (options.rawLeaves ?? hasRawLeaves(root));
  const leaves = edited({ store, root, offset, chunkBytes: parseChunker(chunker), signal: options.signal }, source);
  const { link, fileSize } = await layOut(leaves, { writer, rawLeaves, linksMax, metadata });
  await writer.flush();
  return { cid: link.cid, dagSize: link.tsize, fileSize };
}

function hasRawLeaves({ cid, links, fileSize }: UnixfsNode): boolean {
  const [first] = links;
  return cid.code === codecs.raw || first?.cid.code === codecs.raw || (fileSize === 0 && cid.version === 1);
}

interface Edit {
  readonly store: Pick<Blockstore, 'get'>;
  readonly root: UnixfsNode;
  readonly offset: number;
  readonly chunkBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** A part of the file as it was: a leaf, or bytes that lie within an inner node. */
interface Piece {
  readonly cid: CID;
  readonly subtree: Subtree;
  readonly start: number;
  readonly end: number;
}

/** The leaves of the edited file: those before and behind the edit as they are. */
async function* edited(edit: Edit, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | Subtree> {
  const { store, root, offset, chunkBytes, signal } = edit;
  const data = new Cursor(source);
  const bytesOf = (piece: Piece, start: number, end: number) =>
    catFile(store, piece.cid, { offset: start - piece.start, length: end - start, ...(signal && { signal }) });
  let at = offset;
  let last: Piece | undefined;
  const pieces = piecesOf(edit, root, 0, 0);
  for await (const piece of pieces) {
    if (last) {
      if (last.end <= offset || (last.start >= at && (await data.isAtEnd()))) yield last.subtree;
      else {
        const from = Math.max(last.start, offset);
        const written = await data.take(last.end - from);
        at = from + written.length;
        yield Buffer.concat([
          ...(await all(bytesOf(last, last.start, from))),
          written,
          ...(await all(bytesOf(last, at, last.end))),
        ]);
      }
    }
    last = piece;
  }
  if (last === undefined) return yield* chunksOf(data.rest(), chunkBytes);
  const tail = last;
  const isUntouched = root.links.length > 0 && offset <= tail.end && (await data.isAtEnd());
  if (isUntouched) return yield tail.subtree;
  const from = Math.max(tail.start, offset);
  async function* end() {
    yield* bytesOf(tail, tail.start, Math.min(from, tail.end));
    yield* zeros(from - tail.end);
    let reached = from;
    for await (const bytes of data.rest()) {
      reached += bytes.length;
      yield bytes;
    }
    if (reached < tail.end) yield* bytesOf(tail, reached, tail.end);
  }
  yield* chunksOf(end(), chunkBytes);
}

/** The pieces of a subtree in order; reads inner nodes only. */
async function* piecesOf(edit: Edit, node: UnixfsNode, start: number, depth: number): AsyncGenerator<Piece> {
  const { store, signal } = edit;
  signal?.throwIfAborted();
  if (depth > depthMax) throw new InvalidNodeError(node.cid.toString(), `its tree is deeper than ${depthMax}`);
  const piece = (cid: CID, tsize: number, from: number, fileSize: number): Piece => ({
    cid,
    subtree: { link: { cid, name: '', tsize }, fileSize },
    start: from,
    end: from + fileSize,
  });
  if (node.links.length === 0) return yield piece(node.cid, node.blockBytes, start, node.fileSize);
  if (node.data.length > 0)
    throw new InvalidNodeError(node.cid.toString(), 'it holds bytes beside its links, which cannot be edited');
  let at = start;
  for (const [index, { cid, tsize }] of node.links.entries()) {
    const fileSize = node.blockSizes[index] ?? 0;
    // A link costs an inner node more bytes than a leaf has beside its content.
    const isLeaf = cid.code === codecs.raw || tsize - fileSize < leafOverheadMax;
    if (isLeaf) yield piece(cid, tsize, at, fileSize);
    else yield* piecesOf(edit, await readNode(store, cid, signal ? { signal } : {}), at, depth + 1);
    at += fileSize;
  }
}

const leafOverheadMax = 32;
const zeroBytes = new Uint8Array(64 * 1024);

function* zeros(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= zeroBytes.length) yield zeroBytes.subarray(0, left);
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

/** Takes bytes from a stream as they are needed. */
class Cursor {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#source.next();
      if (done) return true;
      this.#chunk = value;
    }
    return false;
  }

  /** Up to `length` bytes: fewer only where the stream ends. */
  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0 && !(await this.isAtEnd()); ) {
      const part = this.#chunk.subarray(0, left);
      parts.push(part);
      left -= part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    return Buffer.concat(parts);
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isAtEnd())) {
      const chunk = this.#chunk;
      this.#chunk = new Uint8Array(0);
      yield chunk;
    }
  }
}
