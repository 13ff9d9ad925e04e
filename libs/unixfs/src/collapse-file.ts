import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type CID, codecs } from '@cairn/cid';
import { type EditableNode, editableNode } from './editable-node.ts';
import type { Subtree } from './file-layout.ts';
import { readNode } from './node.ts';

/**
 * Returns the CID that Kubo uses for a file after a flush. A root without metadata that links to one raw leaf is replaced
 * by that leaf; every other file keeps its CID.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID
 */
export async function collapseFile(store: Pick<Blockstore, 'get'>, file: CID, options: ReadOptions = {}): Promise<CID> {
  const node = await readNode(store, file, options);
  if (node.type !== 'file' && node.type !== 'raw') return file;
  return onlyRawLeaf(editableNode(node))?.link.cid ?? file;
}

/**
 * Returns the single raw leaf of a root that has nothing else. A root with bytes of its own is kept, although Kubo drops
 * them.
 */
export function onlyRawLeaf({ isRaw, data, subtrees, metadata }: EditableNode): Subtree | undefined {
  const [leaf, ...others] = subtrees;
  if (leaf === undefined || others.length > 0 || leaf.link.cid.code !== codecs.raw) return undefined;
  const isBare = !isRaw && !data?.length && !metadata.mode && metadata.mtime === undefined;
  return isBare ? leaf : undefined;
}
