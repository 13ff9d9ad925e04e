import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import { type LayoutOptions, type Subtree, writeInner } from './file-layout.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { fillLeaves, fillTrickle, layerRepeat, type OpenChunks } from './trickle-layout.ts';

export interface AppendOptions extends LayoutOptions {
  readonly store: Pick<Blockstore, 'get'>;
  readonly read: ReadOptions;
}

/**
 * Adds leaves behind those of a node. A tree in the trickle layout becomes what it would be had it been laid out with
 * them at once; to another tree they are added as Kubo adds them. Reads the last node of each level only.
 */
export async function appendTrickle(
  subtrees: Subtree[],
  leaves: OpenChunks,
  options: AppendOptions,
  depthMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  await fillLeaves(subtrees, leaves, options);
  const inner = subtrees.length - options.linksMax;
  const last = subtrees.at(-1);
  if (inner > 0 && last !== undefined && leaves.next !== undefined)
    subtrees[subtrees.length - 1] = await extended(last, leaves, options, depthOf(inner - 1));
  for (let index = Math.max(0, inner); leaves.next !== undefined && depthOf(index) < depthMax; index++)
    subtrees.push(await fillTrickle(leaves, options, depthOf(index)));
}

/** Levels below the inner subtree at a place behind the leaves. */
function depthOf(index: number): number {
  return Math.floor(index / layerRepeat) + 1;
}

async function extended(
  subtree: Subtree,
  leaves: OpenChunks,
  options: AppendOptions,
  depthMax: number,
): Promise<Subtree> {
  const node = await readNode(options.store, subtree.link.cid, options.read);
  if (node.links.length === 0 || node.data.length > 0) return subtree;
  const subtrees = subtreesOf(node);
  await appendTrickle(subtrees, leaves, options, depthMax);
  return await writeInner(subtrees, options.writer);
}

/** What a node links to. */
export function subtreesOf({ links, blockSizes }: UnixfsNode): Subtree[] {
  return links.map((link, index) => ({ link: { ...link, name: '' }, fileSize: blockSizes[index] ?? 0 }));
}
