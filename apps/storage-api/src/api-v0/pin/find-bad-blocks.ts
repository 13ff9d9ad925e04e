import { setImmediate as turn } from 'node:timers/promises';
import type { Blockstore } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { linksOf } from '@cairn/pinning';
import { ApiError, apiErrorFrom } from '../api-error.ts';

/** A block of a DAG that cannot be read. */
export interface BadBlock {
  readonly cid: CID;
  readonly reason: string;
}

/** Blocks between two turns of the event loop. */
const turnEvery = 256;
/** Names of blocks that one walk holds in memory. */
const blocksMax = 4_000_000;

/**
 * Walks a DAG past blocks that cannot be read, and returns those. Reads do not wait for missing blocks.
 * @throws ApiError 400 for a DAG of more than 4,000,000 blocks; the reason of the signal
 */
export async function findBadBlocks(
  store: Pick<Blockstore, 'get' | 'has'>,
  root: CID,
  signal: AbortSignal,
): Promise<BadBlock[]> {
  const bad: BadBlock[] = [];
  const seen = new Set([root.toString()]);
  const open = [root];
  let visited = 0;
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    signal.throwIfAborted();
    try {
      for (const link of (await readLinks(store, cid)).reverse()) {
        const key = link.toString();
        if (!seen.has(key)) open.push(link);
        seen.add(key);
      }
    } catch (error) {
      if (!isCairnError(error)) throw error;
      bad.push({ cid, reason: apiErrorFrom(error)?.message ?? error.message });
    }
    // A store may answer without a turn of the event loop; other requests want theirs.
    if (++visited % turnEvery === 0) await turn();
    if (seen.size > blocksMax) throw new ApiError(400, `the DAG under ${root} has more than ${blocksMax} blocks`);
  }
  return bad;
}

async function readLinks(store: Pick<Blockstore, 'get' | 'has'>, cid: CID): Promise<CID[]> {
  // Leaves are read only where they are missing, for the error.
  if (cid.code === codecs.raw && (await store.has(cid))) return [];
  return linksOf(cid, await store.get(cid));
}
