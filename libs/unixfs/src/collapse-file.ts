import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { type CID, codecs } from '@cairn/cid';
import { type EditableNode, editableNode } from './editable-node.ts';
import type { Subtree } from './file-layout.ts';
import { readNode } from './node.ts';

/**
 * The CID that stands for a file after Kubo flushed it: a root without metadata that links to one raw leaf gives way to
 * that leaf; any other file keeps its CID.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID
 */
export async function collapseFile(store: Pick<Blockstore, 'get'>, file: CID, options: ReadOptions = {}): Promise<CID> {
  const node = await readNode(store, file, options);
  if (node.type !== 'file' && node.type !== 'raw') return file;
  return onlyRawLeaf(editableNode(node))?.link.cid ?? file;
}

/** The raw leaf that is all a root holds. Bytes in the root itself keep it, although Kubo drops them. */
export function onlyRawLeaf({ isRaw, data, subtrees, metadata }: EditableNode): Subtree | undefined {
  const [leaf, ...others] = subtrees;
  if (leaf === undefined || others.length > 0 || leaf.link.cid.code !== codecs.raw) return undefined;
  const isBare = !isRaw && !data?.length && !metadata.mode && metadata.mtime === undefined;
  return isBare ? leaf : undefined;
}
