import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { copyBytes } from '@cairn/platform';
import type { ByteCursor } from './byte-cursor.ts';
import { depthMax } from './cat-file.ts';
import { type EditableNode, editableNode, type NodeWriters } from './editable-node.ts';
import { InvalidNodeError } from './errors.ts';
import { readNode } from './node.ts';
import type { UnixfsMetadata, UnixfsTime } from './unixfs-data.ts';

/** Source and target of an edit of one file. */
export interface EditContext {
  readonly store: Pick<Blockstore, 'get'>;
  readonly writers: NodeWriters;
  readonly read: ReadOptions;
  /** Time that replaces the time of a changed file. */
  readonly now: UnixfsTime;
}

const versionZero = { cidVersion: 0, hash: 'sha2-256' } as const;

/**
 * Writes bytes over those of a node, from `offset` to its end at most. The shape of the tree stays. Each changed node keeps
 * its CID version and hash function, as in Kubo (`DagModifier.modifyDag`).
 */
export async function overwrite(
  node: EditableNode,
  offset: number,
  cursor: ByteCursor,
  context: EditContext,
  depth = 0,
): Promise<EditableNode> {
  context.read.signal?.throwIfAborted();
  const isLeaf = node.subtrees.length === 0;
  const data = node.data && (await writeOver(node.data, offset, cursor));
  const subtrees = [...node.subtrees];
  let start = data?.length ?? 0;
  for (const [index, { link, fileSize }] of subtrees.entries()) {
    const end = start + fileSize;
    if (end > offset && !(await cursor.isAtEnd())) {
      const child = await openChild(node, index, context, depth);
      const changed = await overwrite(child, Math.max(0, offset - start), cursor, context, depth + 1);
      // The number of bytes is unchanged, so the size of the link stays.
      const { cid } = (await context.writers.put(changed)).link;
      subtrees[index] = { link: { cid, name: link.name, tsize: link.tsize }, fileSize };
    }
    start = end;
  }
  return { ...node, data, subtrees, metadata: isLeaf ? withChangeTime(node.metadata, context.now) : node.metadata };
}

/**
 * Empties a file as Kubo does (`DagModifier.dagTruncate`): the first leaf with bytes stays without them, and everything
 * after it is dropped. An emptied leaf that is not a raw block gets a CID of version 0.
 */
export async function emptyFile(node: EditableNode, context: EditContext, depth = 0): Promise<EditableNode> {
  const none = new Uint8Array(0);
  if (node.isRaw) return { ...node, data: none };
  if (node.subtrees.length === 0)
    return { ...node, naming: versionZero, data: none, metadata: withChangeTime(node.metadata, context.now) };
  const data = node.data && none;
  const index = node.subtrees.findIndex(({ fileSize }) => fileSize > 0);
  if (index === -1) return { ...node, data };
  const emptied = await emptyFile(await openChild(node, index, context, depth), context, depth + 1);
  return { ...node, data, subtrees: [...node.subtrees.slice(0, index), await context.writers.put(emptied)] };
}

/** Replaces a time, if there is one, by the time of the change, as Kubo does. */
export function withChangeTime({ mode, mtime }: UnixfsMetadata, now: UnixfsTime): UnixfsMetadata {
  return { mode, mtime: mtime && now };
}

async function openChild(
  { subtrees }: EditableNode,
  index: number,
  { store, read }: EditContext,
  depth: number,
): Promise<EditableNode> {
  const subtree = subtrees[index];
  if (subtree === undefined) throw new RangeError(`There is no link ${index} in a node of ${subtrees.length}.`);
  const name = subtree.link.cid.toString();
  if (depth >= depthMax) throw new InvalidNodeError(name, `its tree is deeper than ${depthMax}`);
  const child = await readNode(store, subtree.link.cid, read);
  if (child.fileSize !== subtree.fileSize)
    throw new InvalidNodeError(name, `it holds ${child.fileSize} bytes where its parent declares ${subtree.fileSize}`);
  return editableNode(child);
}

async function writeOver(data: Uint8Array, offset: number, cursor: ByteCursor): Promise<Uint8Array> {
  if (offset >= data.length) return data;
  const written = await cursor.take(data.length - offset);
  if (written.length === 0) return data;
  const changed = copyBytes(data);
  changed.set(written, offset);
  return changed;
}
