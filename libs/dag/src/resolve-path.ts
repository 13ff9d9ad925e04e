import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, LinkNotFoundError, parsePath } from '@cairn/unixfs';
import type { IpldValue } from './ipld-value.ts';
import { blockNode, childOf, type PathNode, type PathStep } from './path-node.ts';

/** Where a path leads. */
export interface ResolvedPath {
  /** The last block on the way. */
  readonly cid: CID;
  /** What is left of the path: a place within that block. Empty when the path leads to the block itself. */
  readonly remainder: readonly string[];
}

/**
 * Follows a path from block to block: names of UnixFS directories, plain and sharded, names of other dag-pb links, and
 * keys and indices within dag-cbor and dag-json (https://ipld.io/docs/data-model/pathing/). Symlinks are not followed.
 * The last block is not read where the path ends at it.
 * @throws PATH_INVALID, LINK_NOT_FOUND, PATH_LOOKUP_FAILED, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID,
 * CODEC_UNSUPPORTED
 */
export async function resolveDagPath(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ReadOptions = {},
): Promise<ResolvedPath> {
  const { cid, segments, namespace } = typeof path === 'string' ? parsePath(path) : path;
  let block = cid;
  let remainder: readonly string[] = [];
  let node: PathNode | undefined;
  for (const [index, name] of segments.entries()) {
    node ??= await blockNode(store, block, namespace, options);
    const { link, node: within } = await lookup(node, name, { block, isLast: index === segments.length - 1 });
    node = within;
    if (link) block = link;
    remainder = link ? [] : [...remainder, name];
  }
  return { cid: block, remainder };
}

/**
 * The last block of a path, also where the path ends within it, as Kubo's commands on blocks take it.
 * @throws as {@link resolveDagPath}
 */
export async function resolveToBlock(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ReadOptions = {},
): Promise<CID> {
  return (await resolveDagPath(store, path, options)).cid;
}

/** The value at a place within a block. @throws PATH_LOOKUP_FAILED */
export function valueAt(value: IpldValue, remainder: readonly string[]): IpldValue {
  return remainder.reduce(childOf, value);
}

/** Boxo reports whatever goes wrong before the last name as a missing link of the block. */
async function lookup(
  node: PathNode,
  name: string,
  { block, isLast }: { readonly block: CID; readonly isLast: boolean },
): Promise<PathStep> {
  try {
    return await node.lookup(name);
  } catch (error) {
    if (!isLast && isCairnError(error, 'PATH_LOOKUP_FAILED')) throw new LinkNotFoundError(name, block.toString());
    throw error;
  }
}
