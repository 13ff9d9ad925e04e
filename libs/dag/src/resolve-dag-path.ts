import type { Blockstore, ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type ContentPath, LinkNotFoundError, parsePath } from '@cairn/unixfs';
import { PathLookupError } from './errors.ts';
import { childOf, type Followed, followWithin, type WithinBlock } from './follow-within.ts';
import type { IpldValue } from './ipld-value.ts';
import type { PathNode, PathStep } from './path-node.ts';
import { pbPathNode } from './pb-path-node.ts';
import { blockCodecOf, type TranscodableCodec } from './transcode.ts';

/** Result of resolving a path. */
export interface ResolvedPath {
  /** CID of the last block. */
  readonly cid: CID;
  /** Remaining names, which lead to a value within that block. Empty if the path ends at the block itself. */
  readonly remainder: readonly string[];
}

export interface ResolveOptions extends ReadOptions {
  /**
   * Follows names within a block that is not dag-pb. It decodes the whole block, which can take a second for 2 MiB; a
   * caller can run it in a worker. Default: in this thread.
   */
  readonly follow?: (within: WithinBlock) => Promise<Followed>;
  /** Resolves a path under /ipns/ to an immutable one. Default: such a path is refused. */
  readonly resolveName?: ((path: string) => Promise<string>) | undefined;
  /** Called for each block of the path before it is read, and for its last block. It throws for content that may not be read. */
  readonly assertReadable?: ((step: PathProgress) => void) | undefined;
}

/** Block that a path has reached. */
export interface PathProgress {
  /** Path that is resolved, from its namespace on. */
  readonly path: string;
  readonly cid: CID;
  /** Names that are left. */
  readonly names: readonly string[];
}

const namePath = /^\/+ipns\/+[^/]/;

/**
 * Resolves a path from block to block: names of plain and sharded UnixFS directories, names of other dag-pb links, and keys
 * and indices of dag-cbor and dag-json (https://ipld.io/docs/data-model/pathing/). Symlinks are not followed. If the path
 * ends at a block, that block is not read.
 * @throws PATH_INVALID, LINK_NOT_FOUND, PATH_LOOKUP_FAILED, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, CODEC_UNSUPPORTED
 */
export async function resolveDagPath(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ResolveOptions = {},
): Promise<ResolvedPath> {
  const { resolveName, assertReadable } = options;
  const isName = typeof path === 'string' && resolveName !== undefined && namePath.test(path);
  const immutable = isName ? await resolveName(path) : path;
  const { cid, segments, namespace } = typeof immutable === 'string' ? parsePath(immutable) : immutable;
  const assertStep = (names: readonly string[]) =>
    assertReadable?.({ path: `/${[namespace ?? 'ipfs', cid, ...segments].join('/')}`, cid: block, names });
  let block = cid;
  let remainder: readonly string[] = [];
  for (let at = 0; at < segments.length; ) {
    const names = segments.slice(at);
    assertStep(names);
    const bytes = await store.get(block, options);
    const codec = blockCodecOf(block);
    const { used, link } =
      codec === 'dag-pb'
        ? await followPb(await pbPathNode(store, block, bytes, { namespace, options }), { block, names })
        : await followValue(bytes, { codec, block, names, options });
    at += used;
    if (link === undefined) remainder = names.slice(0, used);
    else block = link;
  }
  assertStep(remainder);
  return { cid: block, remainder };
}

interface Way {
  readonly block: CID;
  /** Remaining names of the path. */
  readonly names: readonly string[];
}

/** Follows names from a dag-pb block to the first link. */
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
 * Resolves a path to its last block, also if it ends within the block, as Kubo's block commands do.
 * @throws what {@link resolveDagPath} throws
 */
export async function resolveToBlock(
  store: Pick<Blockstore, 'get'>,
  path: string | ContentPath,
  options: ResolveOptions = {},
): Promise<CID> {
  return (await resolveDagPath(store, path, options)).cid;
}

/** Returns the value at a path within a block. @throws PATH_LOOKUP_FAILED */
export function valueAt(value: IpldValue, remainder: readonly string[]): IpldValue {
  return remainder.reduce(childOf, value);
}

/** Finds a name. Like boxo, it reports every failure before the last name as a missing link of the block. */
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
