import { createHash } from 'node:crypto';
import type { Block, Blockstore } from '@cairn/blockstore/core';
import { type CID, parseCid } from '@cairn/cid';
import { writeCar } from '@cairn/dag';
import { isCairnError } from '@cairn/errors';
import { setContentCaching } from './cache-control.ts';
import { readBlock, scopeBlocks, type Walk, withoutRepeats } from './car-blocks.ts';
import { parseCarParams } from './car-params.ts';
import { contentDisposition } from './content-disposition.ts';
import { contentPath, type Exchange, fileNameOf, lastName, readOptions } from './exchange.ts';
import { type FollowedPath, followPath } from './follow-path.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { isIdentity } from './identity-blocks.ts';
import { mediaTypes } from './response-format.ts';
import { notModified } from './serve-bytes.ts';

/** Root of a CAR for a path that does not exist, since readers require one: the identity CID of no bytes, as in Kubo. */
const noRoot = parseCid('bafkqaaa');

/** Immutable path of a CAR. */
export interface CarPath {
  readonly root: CID;
  readonly segments: readonly string[];
  readonly ttlSeconds?: number | undefined;
}

/** Throws for blocks of a path that may not be read. */
export type CheckRoots = (roots: readonly CID[]) => Promise<void>;

/**
 * Serves the blocks of a path and below it as a CAR. A path without a link of its name gives the blocks that prove it.
 * @throws GatewayError 400 for unknown parameters
 * @throws BLOCK_NOT_FOUND for a missing block of the path
 */
export async function serveCar(exchange: Exchange, path: CarPath, check: CheckRoots): Promise<GatewayResponse> {
  const { headers, target, requested, blocks, origin } = exchange;
  const params = parseCarParams(target.query, requested.params);
  const { root, segments } = path;
  const { order, hasDuplicates } = params;
  const version = createHash('sha256')
    .update(JSON.stringify([contentPath(origin), params]))
    .digest('hex')
    .slice(0, 16);
  const etag = `W/"${root}.car.${version}"`;
  const unchanged = notModified(exchange, path, etag);
  if (unchanged !== undefined) return unchanged;
  const recorder = recordingBlocks(blocks);
  const found = await follow(exchange, recorder.blocks, path);
  if (found !== undefined) {
    await check(found.roots);
    // After the status only the end of the connection could report that the first block is missing.
    if (!(await blocks.has(found.cid))) await blocks.get(found.cid, readOptions(exchange));
  }
  headers['x-ipfs-roots'] = (found?.roots ?? [root]).join(',');
  setContentCaching(exchange, path);
  headers.etag = etag;
  headers['content-type'] = `${mediaTypes.car}; version=1; order=${order}; dups=${hasDuplicates ? 'y' : 'n'}`;
  const name = lastName(segments);
  headers['content-disposition'] = contentDisposition(
    'attachment',
    fileNameOf(target) ?? `${root}${name === undefined ? '' : `_${name}`}.car`,
  );
  headers['accept-ranges'] = 'none';
  headers['x-content-type-options'] = 'nosniff';
  const { signal } = exchange.request;
  const below = found && scopeBlocks({ blocks, signal }, found.cid, params);
  const source = withoutRepeats(joined({ blocks, signal }, recorder.read, below), hasDuplicates);
  return { status: 200, headers, body: writeCar([found?.cid ?? noRoot], source) };
}

/** Follows the path. Returns undefined if a block of it has no link of the next name. */
async function follow(
  { request: { signal } }: Exchange,
  blocks: Pick<Blockstore, 'get'>,
  { root, segments }: CarPath,
): Promise<FollowedPath | undefined> {
  try {
    return await followPath(blocks, root, segments, { signal });
  } catch (error) {
    if (!isCairnError(error, 'LINK_NOT_FOUND')) throw error;
    return undefined;
  }
}

/** Store that records the CIDs that it has read, for the path of a CAR. Their blocks are read again when they are sent. */
function recordingBlocks(blocks: Pick<Blockstore, 'get'>) {
  const read: CID[] = [];
  const get: Blockstore['get'] = async (cid, options) => {
    const bytes = await blocks.get(cid, options);
    const isKnown = isIdentity(cid) || read.some((known) => known.equals(cid));
    if (!isKnown) read.push(cid);
    return bytes;
  };
  return { read, blocks: { get } };
}

async function* joined(
  walk: Walk,
  path: readonly CID[],
  below: AsyncIterable<Block> | undefined,
): AsyncGenerator<Block> {
  for (const cid of path) yield await readBlock(walk, cid);
  if (below !== undefined) yield* below;
}
