import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import { renamedLink } from './dag-pb.ts';
import { type LayoutOptions, type Subtree, writeInner } from './file-layout.ts';
import { readNode, type UnixfsNode } from './node.ts';
import { fillLeaves, fillTrickle, layerRepeat, type OpenChunks } from './trickle-layout.ts';

export interface AppendOptions extends LayoutOptions {
  readonly store: Pick<Blockstore, 'get'>;
  readonly read: ReadOptions;
}

/**
 * Appends leaves to a node as Kubo does (`trickle.Append` of boxo 0.40). The result differs from the layout of a whole
 * file: the first subtrees after the leaves have one level more, and a last subtree that is extended gets leaves only.
 * Reads only the last node of each level.
 */
export async function appendTrickle(subtrees: Subtree[], leaves: OpenChunks, options: AppendOptions): Promise<void> {
  const { isBelowLeaves, depth, repeat } = placeOf(subtrees.length, options.linksMax);
  if (isBelowLeaves) {
    await fillLeaves(subtrees, leaves, options);
    if (leaves.next === undefined) return;
  }
  await continueLast(subtrees, leaves, options, { depth: depth - 1, repeat });
  await fillDepths(subtrees, leaves, options, { from: depth + 1, to: Number.POSITIVE_INFINITY });
}

interface Place {
  /** True if the node has room for leaves of its own. */
  readonly isBelowLeaves: boolean;
  /** Levels below the next subtree. */
  readonly depth: number;
  /** Number of existing subtrees of that depth. */
  readonly repeat: number;
}

/** Returns the position of the next link in a node with this number of links. */
function placeOf(links: number, linksMax: number): Place {
  const inner = Math.max(0, links - linksMax);
  return { isBelowLeaves: links < linksMax, depth: Math.floor(inner / layerRepeat) + 1, repeat: inner % layerRepeat };
}

/** Fills the last subtree and the remaining subtrees of its depth (`appendFillLastChild`). */
async function continueLast(
  subtrees: Subtree[],
  leaves: OpenChunks,
  options: AppendOptions,
  { depth, repeat }: Omit<Place, 'isBelowLeaves'>,
): Promise<void> {
  const last = subtrees.at(-1);
  if (subtrees.length <= options.linksMax || last === undefined) return;
  subtrees[subtrees.length - 1] = await extended(last, leaves, options, depth - 1);
  if (repeat === 0) return;
  for (let index = repeat; index < layerRepeat && leaves.next !== undefined; index++)
    subtrees.push(await fillTrickle(leaves, options, Math.max(1, depth)));
}

/** Adds subtrees of the depths from `from` to below `to`. */
async function fillDepths(
  subtrees: Subtree[],
  leaves: OpenChunks,
  options: AppendOptions,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let depth = from; depth < to && leaves.next !== undefined; depth++)
    for (let index = 0; index < layerRepeat && leaves.next !== undefined; index++)
      subtrees.push(await fillTrickle(leaves, options, depth));
}

/** Returns the subtree with leaves appended, at most `depthMax` levels deep (`appendRec`). */
async function extended(
  subtree: Subtree,
  leaves: OpenChunks,
  options: AppendOptions,
  depthMax: number,
): Promise<Subtree> {
  if (depthMax === 0 || leaves.next === undefined) return subtree;
  const node = await readNode(options.store, subtree.link.cid, options.read);
  if (node.links.length === 0 || node.data.length > 0) return subtree;
  const subtrees = subtreesOf(node);
  const { isBelowLeaves, depth, repeat } = placeOf(subtrees.length, options.linksMax);
  if (isBelowLeaves) await fillLeaves(subtrees, leaves, options);
  if (depth !== depthMax) {
    await continueLast(subtrees, leaves, options, { depth, repeat });
    await fillDepths(subtrees, leaves, options, { from: depth + 1, to: depthMax });
  }
  return await writeInner(subtrees, options.writer);
}

/** Returns the subtrees that a node links to. */
export function subtreesOf({ links, blockSizes }: UnixfsNode): Subtree[] {
  return links.map((link, index) => ({ link: renamedLink(link, ''), fileSize: blockSizes[index] ?? 0 }));
}
