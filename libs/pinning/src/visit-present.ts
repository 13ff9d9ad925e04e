import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { CidList } from './cid-list.ts';
import { isDagFault } from './dag-fault.ts';
import { linksOf } from './links.ts';
import { isStored, nodeKey } from './walk-dag.ts';

/**
 * Visits the stored blocks of a DAG. A missing or unreadable block ends its branch. Walks that share `seen` visit each node
 * once.
 */
export async function* visitPresent(
  store: Pick<Blockstore, 'get' | 'has'>,
  root: CID,
  seen: Set<string>,
): AsyncGenerator<CID> {
  const open = new CidList();
  open.push(root.bytes);
  const slices = Slices.of(undefined);
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    await slices.step();
    const key = nodeKey(cid);
    if (seen.has(key)) continue;
    seen.add(key);
    if (cid.code === codecs.raw) {
      if (isStored(cid) && (await store.has(cid))) yield cid;
      continue;
    }
    try {
      const links = await linksOf(cid, await store.get(cid), slices);
      for (let index = 0; index < links.length; index++) open.push(links.bytesAt(index));
    } catch (error) {
      if (!isDagFault(error)) throw error;
      if (!(await store.has(cid))) continue;
    }
    if (isStored(cid)) yield cid;
  }
}
