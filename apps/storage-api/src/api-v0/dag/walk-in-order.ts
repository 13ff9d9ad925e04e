import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { CidList, cidKey, linksOf } from '@cairn/pinning';
import { prefetch } from '../../network/network.ts';
import { ApiError } from '../api-error.ts';
import { workOf } from '../with-work.ts';

/** A block of a DAG with its length. */
export interface WalkedBlock {
  readonly cid: CID;
  readonly bytes: number;
}

export interface WalkInOrderOptions {
  /** Creates the error to throw where a block cannot be read. */
  readonly explain?: (cid: CID, error: unknown) => unknown;
  /** Keys of CIDs that were visited before, which are skipped. Those of this walk are added. */
  readonly seen?: Set<string>;
}

/** Links of a block that are fetched ahead. */
const prefetchedLinks = 64;
/** CIDs that one walk holds in memory. */
const blocksMax = 4_000_000;

/**
 * Walks a DAG in the order of its links, each CID at its first occurrence. As in Kubo's traversals, CIDs of
 * different versions or codecs with one multihash are different.
 * @throws ApiError 400 for a DAG of more than 4,000,000 CIDs; the reason of the signal
 */
export async function* walkInOrder(
  store: Pick<Blockstore, 'get' | 'has' | 'size'>,
  root: CID,
  signal: AbortSignal,
  { explain = (_, error) => error, seen = new Set() }: WalkInOrderOptions = {},
): AsyncGenerator<WalkedBlock> {
  const open = new CidList();
  open.push(root.bytes);
  const slices = Slices.of(signal);
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    signal.throwIfAborted();
    await slices.step();
    const key = cidKey(cid.bytes);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > blocksMax || open.length > blocksMax)
      throw new ApiError(400, `the DAG under ${root} has more than ${blocksMax} blocks`);
    const { bytes, links } = await read(store, cid, signal).catch((error: unknown) => {
      throw explain(cid, error);
    });
    // The store has counted a block that was read.
    if (cid.code === codecs.raw) workOf(signal)?.visits(1);
    yield { cid, bytes };
    if (links.length > 1) prefetch(signal, links.slice(0, prefetchedLinks));
    for (let index = links.length - 1; index >= 0; index--) open.push(links.bytesAt(index));
  }
}

async function read(store: Pick<Blockstore, 'get' | 'has' | 'size'>, cid: CID, signal: AbortSignal) {
  // The length of a leaf needs no read. A missing leaf is read, for the wait and the error.
  if (cid.code === codecs.raw && (await store.has(cid))) return { bytes: await store.size(cid), links: new CidList() };
  const block = await store.get(cid, { signal });
  return { bytes: block.length, links: await linksOf(cid, block, Slices.of(signal)) };
}
