import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { CidList, cidKey, dagBlocksMax, linksOf } from '@cairn/pinning';
import { ApiError } from '../api-error.ts';

interface LocalSize {
  /** Length of the block and of all below it. As in Kubo, a block counts for each link to it. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

const linksPerStep = 1024;

interface OpenBlock {
  readonly cid: CID;
  readonly length: number;
  readonly links: CidList;
  /** First link whose size is not known yet. */
  next: number;
}

/** Measures the stored part of a DAG. Each block is read once. @throws ApiError 500 beyond {@link dagBlocksMax} */
export async function localSize(
  store: Pick<Blockstore, 'get' | 'has' | 'size'>,
  root: CID,
  signal: AbortSignal,
): Promise<LocalSize> {
  const sizes = new Map<string, LocalSize>();
  const path: OpenBlock[] = [];
  const enter = async (cid: CID) => {
    signal.throwIfAborted();
    if (sizes.size > dagBlocksMax) throw new ApiError(500, `the DAG has more than ${dagBlocksMax} blocks`);
    const found = await read(store, cid, signal);
    if (found === undefined) sizes.set(cidKey(cid.bytes), { bytes: 0, isWhole: false });
    else path.push({ cid, ...found, next: 0 });
  };
  const slices = Slices.of(signal);
  await enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.next % linksPerStep === 0) await slices.step();
    const [next] = top.links.slice(top.next, top.next + 1);
    if (next === undefined) {
      sizes.set(cidKey(top.cid.bytes), await sumOf(top, sizes, slices));
      path.pop();
    } else if (!sizes.has(top.links.keyAt(top.next++))) await enter(next);
  }
  return sizes.get(cidKey(root.bytes)) ?? { bytes: 0, isWhole: false };
}

async function sumOf(
  { length, links }: OpenBlock,
  sizes: ReadonlyMap<string, LocalSize>,
  slices: Slices,
): Promise<LocalSize> {
  let bytes = length;
  let isWhole = true;
  for (let index = 0; index < links.length; index++) {
    if (index % linksPerStep === 0) await slices.step();
    const below = sizes.get(links.keyAt(index));
    bytes += below?.bytes ?? 0;
    isWhole &&= below?.isWhole ?? false;
  }
  // Larger than JSON's exact numbers: only a DAG that was constructed for it is.
  return { bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER), isWhole };
}

async function read(store: Pick<Blockstore, 'get' | 'has' | 'size'>, cid: CID, signal: AbortSignal) {
  try {
    if (cid.multihash.code === 0)
      return { length: cid.multihash.digest.length, links: await linksOf(cid, cid.multihash.digest) };
    if (cid.code === codecs.raw) return { length: await store.size(cid), links: new CidList() };
    if (!(await store.has(cid))) return undefined;
    const bytes = await store.get(cid, { signal });
    return { length: bytes.length, links: await linksOf(cid, bytes, Slices.of(signal)) };
  } catch (error) {
    if (isCairnError(error, 'BLOCK_NOT_FOUND')) return undefined;
    throw error;
  }
}
