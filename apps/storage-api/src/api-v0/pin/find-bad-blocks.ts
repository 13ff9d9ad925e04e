import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { CidList, cidKey, linksOf } from '@cairn/pinning';
import { ApiError } from '../api-error.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { workOf } from '../with-work.ts';

/** A block of a DAG that cannot be read. */
export interface BadBlock {
  readonly cid: CID;
  readonly reason: string;
}

const linksPerStep = 1024;
/** CIDs that one walk holds in memory. */
const blocksMax = 4_000_000;

/**
 * Walks a DAG, skips blocks that cannot be read, and returns those. Reads do not wait for missing blocks.
 * @throws ApiError 400 for a DAG of more than 4,000,000 blocks; the reason of the signal
 */
export async function findBadBlocks(
  store: Pick<Blockstore, 'get' | 'has'>,
  root: CID,
  signal: AbortSignal,
): Promise<BadBlock[]> {
  const bad: BadBlock[] = [];
  const seen = new Set([cidKey(root.bytes)]);
  const open = new CidList();
  open.push(root.bytes);
  const slices = Slices.of(signal);
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    signal.throwIfAborted();
    try {
      const links = await readLinks(store, cid, slices);
      for (let index = links.length - 1; index >= 0; index--) {
        const key = links.keyAt(index);
        if (!seen.has(key)) open.push(links.bytesAt(index));
        seen.add(key);
        if (index % linksPerStep === 0) await slices.step();
      }
    } catch (error) {
      if (!isCairnError(error)) throw error;
      bad.push({ cid, reason: apiErrorFrom(error)?.message ?? error.message });
    }
    workOf(signal)?.visits(1);
    await slices.step();
    if (seen.size > blocksMax) throw new ApiError(400, `the DAG under ${root} has more than ${blocksMax} blocks`);
  }
  return bad;
}

async function readLinks(store: Pick<Blockstore, 'get' | 'has'>, cid: CID, slices: Slices): Promise<CidList> {
  // Leaves are read only where they are missing, for the error.
  if (cid.code === codecs.raw && (await store.has(cid))) return new CidList();
  return await linksOf(cid, await store.get(cid), slices);
}
