import type { Blockstore, BufferPool } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import type { PbLink } from './dag-pb.ts';
import { InvalidNodeError, NotAFileError } from './errors.ts';
import { readNode, type UnixfsNode } from './node.ts';

export interface CatOptions {
  /** First byte, counted from 0. An offset beyond the end returns no bytes. Default: 0. */
  readonly offset?: number;
  /** Maximum number of bytes. Default: to the end. */
  readonly length?: number;
  readonly signal?: AbortSignal;
  /** Concurrent reads per level. More hide the latency of remote stores and hold more blocks in memory. Default: 8. */
  readonly readAhead?: number;
  /**
   * Buffers for the blocks below the root. The consumer may give each chunk back when it has used it: no other chunk, and
   * nothing else, has the same memory.
   */
  readonly buffers?: BufferPool | undefined;
  /**
   * Called with the CIDs of blocks that are read after those that are read now, each once, up to 64 blocks ahead. A store of
   * another machine can fetch them meanwhile.
   */
  readonly onAhead?: ((cids: readonly CID[]) => void) | undefined;
}

/** Limit of the depth of a file. Kubo's trees have a depth of 5 at a terabyte; a deeper one attacks the stack of readers. */
export const depthMax = 64;

const readAheadDefault = 8;
/** Number of blocks from the current one of which {@link CatOptions.onAhead} reports the CIDs. */
const reportAhead = 64;

/**
 * Yields the bytes of a file in order. Subtrees outside of the range are not read. Each block that is read must have
 * exactly the number of bytes that its parent declares.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT (from a verified store), NOT_A_FILE, DAG_INVALID, the reason of the signal
 */
export async function* catFile(
  store: Pick<Blockstore, 'get'>,
  cid: CID,
  options: CatOptions = {},
): AsyncGenerator<Uint8Array> {
  const root = await readNode(store, cid, options);
  yield* catNode(store, root, options);
}

/** Yields the bytes of a file as {@link catFile} does, from a root that is already decoded. */
export async function* catNode(
  store: Pick<Blockstore, 'get'>,
  root: UnixfsNode,
  {
    offset = 0,
    length = Number.POSITIVE_INFINITY,
    signal,
    readAhead = readAheadDefault,
    buffers,
    onAhead,
  }: CatOptions = {},
): AsyncGenerator<Uint8Array> {
  if (root.type !== 'file' && root.type !== 'raw') {
    throw new NotAFileError(root.cid.toString(), root.type === 'hamt-sharded-directory' ? 'directory' : root.type);
  }
  const options = { ...(signal && { signal }), ...(buffers && { buffers }) };
  yield* bytesOf({ store, options, readAhead, onAhead }, root, { start: offset, end: offset + length }, 0);
}

interface ByteRange {
  /** First byte, relative to the first byte of the node. */
  readonly start: number;
  readonly end: number;
}

interface Reading {
  readonly store: Pick<Blockstore, 'get'>;
  readonly options: Pick<CatOptions, 'signal' | 'buffers'>;
  readonly readAhead: number;
  readonly onAhead: CatOptions['onAhead'];
}

async function* bytesOf(
  reading: Reading,
  node: UnixfsNode,
  range: ByteRange,
  depth: number,
): AsyncGenerator<Uint8Array> {
  const { store, options, readAhead, onAhead } = reading;
  const { signal, buffers } = options;
  if (depth > depthMax) throw new InvalidNodeError(node.cid.toString(), `it is more than ${depthMax} levels deep`);
  const own = node.data.subarray(clamp(range.start, node.data.length), clamp(range.end, node.data.length));
  // Links of an inner block are in the memory of its data.
  if (own.length > 0) yield buffers !== undefined && node.links.length > 0 ? own.slice() : own;
  const children = childrenIn(node, range);
  const reads = new Map<number, Promise<UnixfsNode>>();
  let reported = readAhead;
  for (const [index, child] of children.entries()) {
    for (let ahead = index; ahead < Math.min(index + readAhead, children.length); ahead++) {
      const next = children[ahead];
      if (next === undefined || reads.has(ahead)) continue;
      const read = readNode(store, next.link.cid, options);
      // Marks the rejection as handled: a consumer that stops early never awaits this read.
      read.catch(() => {});
      reads.set(ahead, read);
    }
    // Several CIDs at a time, since a store asks for many blocks with one message.
    if (onAhead && reported < children.length && reported - index <= reportAhead / 2) {
      onAhead(children.slice(reported, index + reportAhead).map(({ link }) => link.cid));
      reported = Math.max(reported, index + reportAhead);
    }
    signal?.throwIfAborted();
    const node = await reads.get(index);
    reads.delete(index);
    if (node === undefined) continue;
    if (node.fileSize !== child.size) {
      throw new InvalidNodeError(
        child.link.cid.toString(),
        `it holds ${node.fileSize} bytes where its parent declares ${child.size}`,
      );
    }
    yield* bytesOf(reading, node, { start: range.start - child.start, end: range.end - child.start }, depth + 1);
  }
}

function childrenIn(node: UnixfsNode, range: ByteRange) {
  const children: { readonly link: PbLink; readonly start: number; readonly size: number }[] = [];
  let start = node.data.length;
  for (const [index, link] of node.links.entries()) {
    const size = node.blockSizes[index] ?? 0;
    if (size > 0 && start < range.end && start + size > range.start) children.push({ link, start, size });
    start += size;
  }
  return children;
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 0), max);
}
