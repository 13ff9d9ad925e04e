import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { linksOf } from './links.ts';
import { isStored, nodeKey } from './walk-dag.ts';

/**
 * Visits the blocks of a DAG that are here: where one is missing, or cannot be read, its branch ends. `seen` is shared by
 * walks that need not visit anything twice.
 */
export async function* visitPresent(
  store: Pick<Blockstore, 'get' | 'has'>,
  root: CID,
  seen: Set<string>,
): AsyncGenerator<CID> {
  const open = [root];
  const slices = new Slices();
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    const key = nodeKey(cid);
    if (seen.has(key)) continue;
    seen.add(key);
    await slices.step();
    if (cid.code === codecs.raw) {
      if (isStored(cid) && (await store.has(cid))) yield cid;
      continue;
    }
    try {
      for (const link of linksOf(cid, await store.get(cid))) open.push(link);
    } catch (error) {
      if (!isCairnError(error)) throw error;
      if (!(await store.has(cid))) continue;
    }
    if (isStored(cid)) yield cid;
  }
}
