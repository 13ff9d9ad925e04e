import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, LinkNotFoundError, parsePath } from '@cairn/unixfs';
import { PathLookupError } from './errors.ts';
import { childOf, type Followed, followWithin, type WithinBlock } from './follow-within.ts';
import type { IpldValue } from './ipld-value.ts';
import { type PathNode, type PathStep, pbNode } from './path-node.ts';
import { blockCodecOf, type TranscodableCodec } from './transcode.ts';

/** Where a path leads. */
export interface ResolvedPath {
  /** The last block on the way. */
  readonly cid: CID;
  /** What is left of the path: a place within that block. Empty when the path leads to the block itself. */
  readonly remainder: readonly string[];
}

export interface ResolveOptions extends ReadOptions {
  /**
   * Follows names within a block that is not dag-pb. It decodes the whole block, which for 2 MiB can take a second.
   * Default: in this thread.
   */
  readonly follow?: (within: WithinBlock) => Promise<Followed>;
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
  options: ResolveOptions = {},
): Promise<ResolvedPath> {
  const { cid, segments, namespace } = typeof path === 'string' ? parsePath(path) : path;
  let block = cid;
  let remainder: readonly string[] = [];
  for (let at = 0; at < segments.length; ) {
    const names = segments.slice(at);
    const bytes = await store.get(block, options);
    const codec = blockCodecOf(block);
    const { used, link } =
      codec === 'dag-pb'
        ? await followPb(await pbNode(store, block, bytes, { namespace, options }), { block, names })
        : await followValue(bytes, { codec, block, names, options });
    at += used;
    if (link === undefined) remainder = names.slice(0, used);
    else block = link;
  }
  return { cid: block, remainder };
}

interface Way {
  readonly block: CID;
  /** All names that are left of the path. */
  readonly names: readonly string[];
}

/** Follows names from a dag-pb block up to the first link. */
async function followPb(root: PathNode, { block, names }: Way): Promise<Followed> {
  let node = root;
  for (const [index, name] of names.entries()) {
    const step = await lookup(node, name, { block, isLast: index === names.length - 1 });
    if (step.link) return { used: index + 1, link: step.link };
    node = step.node;
  }
  return { used: names.length };
}

async function followValue(
  bytes: Uint8Array,
  {
    codec,
    block,
    names,
    options: { follow = async (within) => followWithin(within) },
  }: Way & { readonly codec: TranscodableCodec; readonly options: ResolveOptions },
): Promise<Followed> {
  const followed = await follow({ bytes, codec, block: block.toString(), names });
  const { used, failure } = followed;
  if (failure === undefined) return followed;
  throw used < names.length - 1
    ? new LinkNotFoundError(names[used] ?? '', block.toString())
    : new PathLookupError(failure);
}

/**
 * The last block of a path, also where the path ends within it, as Kubo's commands on blocks take it.
 * @throws as {@link resolveDagPath}
 */
export async function resolveToBlock(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ResolveOptions = {},
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
