import type { Blockstore } from '@cairn/blockstore/core';
import { type CID, codecs } from '@cairn/cid';
import { blockCodecOf, followWithin, resolveDagPath } from '@cairn/dag';
import { isCairnError } from '@cairn/errors';
import { LinkNotFoundError } from '@cairn/unixfs';

/** Result of following a path. */
export interface FollowedPath {
  /** Last block. */
  readonly cid: CID;
  /** Block of each part of the path, from the root on: the field X-Ipfs-Roots. */
  readonly roots: readonly CID[];
  /** Names that lead to a value within the last block. */
  readonly remainder: readonly string[];
}

/**
 * Follows names from a root, one block after another. Each block is decoded once.
 * @throws LINK_NOT_FOUND with boxo's message, BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, CODEC_UNSUPPORTED
 */
export async function followPath(
  blocks: Pick<Blockstore, 'get'>,
  root: CID,
  segments: readonly string[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<FollowedPath> {
  const options = signal === undefined ? {} : { signal };
  const roots = [root];
  let cid = root;
  for (let at = 0; at < segments.length; ) {
    signal?.throwIfAborted();
    const names = segments.slice(at);
    const { used, link } =
      cid.code === codecs['dag-pb']
        ? await nextOfPb(blocks, cid, names, options)
        : nextOfValue(cid, await blocks.get(cid, options), names);
    for (let within = 1; within < used; within++) roots.push(cid);
    roots.push(link ?? cid);
    at += used;
    if (link === undefined) return { cid, roots, remainder: names.slice(0, used) };
    cid = link;
  }
  return { cid, roots, remainder: [] };
}

async function nextOfPb(
  blocks: Pick<Blockstore, 'get'>,
  cid: CID,
  [name = '']: readonly string[],
  options: { readonly signal?: AbortSignal },
): Promise<{ readonly used: number; readonly link?: CID }> {
  try {
    const found = await resolveDagPath(blocks, { cid, segments: [name] }, options);
    return { used: 1, link: found.cid };
  } catch (error) {
    throw isCairnError(error, 'PATH_LOOKUP_FAILED') ? new LinkNotFoundError(name, cid.toString()) : error;
  }
}

function nextOfValue(
  cid: CID,
  bytes: Uint8Array,
  names: readonly string[],
): { readonly used: number; readonly link?: CID } {
  const missing = (at: number) => new LinkNotFoundError(names[at] ?? '', cid.toString());
  if (cid.code === codecs.raw) throw missing(0);
  const { used, link, failure } = followWithin({ bytes, codec: blockCodecOf(cid), block: cid.toString(), names });
  if (failure !== undefined) throw missing(used);
  return { used, ...(link !== undefined && { link }) };
}
