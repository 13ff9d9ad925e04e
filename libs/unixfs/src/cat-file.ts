import type { Blockstore } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import type { PbLink } from './dag-pb.ts';
import { InvalidNodeError, NotAFileError } from './errors.ts';
import { readNode, type UnixfsNode } from './node.ts';

export interface CatOptions {
  /** First byte, counted from 0. Beyond the end there are no bytes. Default 0. */
  readonly offset?: number;
  /** Number of bytes at most. Default: to the end. */
  readonly length?: number;
  readonly signal?: AbortSignal;
}

/** Kubo's trees have a depth of 5 at a terabyte; more is an attack on the stack of whoever reads it. */
export const depthMax = 64;

/** Reads that are under way at once: hides the latency of remote stores, bounds memory to 8 blocks. */
const readAhead = 8;

/**
 * The bytes of a file, in order. Subtrees outside of the range are not read; each block read must hold exactly the
 * bytes that its parent declared.
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

/** As {@link catFile}, from a root that has been read already. */
export async function* catNode(
  store: Pick<Blockstore, 'get'>,
  root: UnixfsNode,
  { offset = 0, length = Number.POSITIVE_INFINITY, signal }: CatOptions = {},
): AsyncGenerator<Uint8Array> {
  if (root.type !== 'file' && root.type !== 'raw') {
    throw new NotAFileError(root.cid.toString(), root.type === 'hamt-sharded-directory' ? 'directory' : root.type);
  }
  yield* bytesOf(store, root, { start: offset, end: offset + length }, 0, signal);
}

interface ByteRange {
  /** Inclusive, relative to the first byte of the node. */
  readonly start: number;
  readonly end: number;
}

async function* bytesOf(
  store: Pick<Blockstore, 'get'>,
  node: UnixfsNode,
  range: ByteRange,
  depth: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (depth > depthMax) throw new InvalidNodeError(node.cid.toString(), `it is more than ${depthMax} levels deep`);
  const own = node.data.subarray(clamp(range.start, node.data.length), clamp(range.end, node.data.length));
  if (own.length > 0) yield own;
  const children = childrenIn(node, range);
  const reads = new Map<number, Promise<UnixfsNode>>();
  for (const [index, child] of children.entries()) {
    for (let ahead = index; ahead < Math.min(index + readAhead, children.length); ahead++) {
      const next = children[ahead];
      if (next === undefined || reads.has(ahead)) continue;
      const read = readNode(store, next.link.cid, signal ? { signal } : {});
      // A consumer that stops early never awaits this one; it must not count as unhandled.
      read.catch(() => {});
      reads.set(ahead, read);
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
    yield* bytesOf(store, node, { start: range.start - child.start, end: range.end - child.start }, depth + 1, signal);
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
