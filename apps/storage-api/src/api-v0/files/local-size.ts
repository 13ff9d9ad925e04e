import type { Blockstore } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { dagBlocksMax, linksOf } from '@cairn/pinning';
import { ApiError } from '../api-error.ts';

interface LocalSize {
  /** Length of the block and of all below it; a block counts as often as it is linked to, as in Kubo. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

interface OpenBlock {
  readonly cid: CID;
  readonly length: number;
  /** Links whose sizes are not known yet, last one first. */
  readonly waiting: CID[];
  readonly links: readonly CID[];
}

/** Reads a DAG as far as it is here. Each block is read once, however often it occurs. @throws ApiError 500 beyond {@link dagBlocksMax} */
export async function localSize(
  store: Pick<Blockstore, 'get' | 'size'>,
  root: CID,
  signal: AbortSignal,
): Promise<LocalSize> {
  const sizes = new Map<string, LocalSize>();
  const path: OpenBlock[] = [];
  const enter = async (cid: CID) => {
    signal.throwIfAborted();
    if (sizes.size > dagBlocksMax) throw new ApiError(500, `the DAG has more than ${dagBlocksMax} blocks`);
    const found = await read(store, cid, signal);
    if (found === undefined) sizes.set(cid.toString(), { bytes: 0, isWhole: false });
    else path.push({ cid, ...found, waiting: [...found.links].reverse() });
  };
  await enter(root);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.waiting.pop();
    if (next === undefined) {
      sizes.set(top.cid.toString(), sumOf(top, sizes));
      path.pop();
    } else if (!sizes.has(next.toString())) await enter(next);
  }
  return sizes.get(root.toString()) ?? { bytes: 0, isWhole: false };
}

function sumOf({ length, links }: OpenBlock, sizes: ReadonlyMap<string, LocalSize>): LocalSize {
  let bytes = length;
  let isWhole = true;
  for (const link of links) {
    const below = sizes.get(link.toString());
    bytes += below?.bytes ?? 0;
    isWhole &&= below?.isWhole ?? false;
  }
  // More than JSON's numbers hold: only a DAG made for it has as many.
  return { bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER), isWhole };
}

async function read(store: Pick<Blockstore, 'get' | 'size'>, cid: CID, signal: AbortSignal) {
  try {
    if (cid.multihash.code === 0)
      return { length: cid.multihash.digest.length, links: linksOf(cid, cid.multihash.digest) };
    if (cid.code === codecs.raw) return { length: await store.size(cid), links: [] };
    const bytes = await store.get(cid, { signal });
    return { length: bytes.length, links: linksOf(cid, bytes) };
  } catch (error) {
    if (isCairnError(error, 'BLOCK_NOT_FOUND')) return undefined;
    throw error;
  }
}
