import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { cidKey } from './cid-list.ts';
import { linksOf } from './links.ts';
import { isStored, type WalkOptions } from './walk-dag.ts';

/** DAGs of one block and DAGs of several blocks. */
export interface PartitionedDags {
  /** DAGs of one block, with the length of the block. */
  readonly singleBlock: readonly { readonly cid: CID; readonly bytes: number }[];
  readonly multiBlock: readonly CID[];
}

/** Separates DAGs of one block from others and drops repeated CIDs. @throws BLOCK_NOT_FOUND, CODEC_UNSUPPORTED, DAG_INVALID */
export async function partitionDags(
  blocks: Pick<Blockstore, 'get' | 'size'>,
  cids: readonly CID[],
  { signal, leafBytes }: Pick<WalkOptions, 'leafBytes'> & { readonly signal: AbortSignal | undefined },
): Promise<PartitionedDags> {
  const slices = Slices.of(signal);
  const singleBlock: { readonly cid: CID; readonly bytes: number }[] = [];
  const multiBlock: CID[] = [];
  const seen = new Set<string>();
  for (const cid of cids) {
    await slices.step();
    const key = cidKey(cid.bytes);
    if (seen.has(key)) continue;
    seen.add(key);
    const known = leafBytes?.(cid);
    if (!isStored(cid)) multiBlock.push(cid);
    else if (known !== undefined) singleBlock.push({ cid, bytes: known });
    else if (cid.code === codecs.raw) singleBlock.push({ cid, bytes: await blocks.size(cid) });
    else {
      const block = await blocks.get(cid, signal ? { signal } : {});
      const { length } = await linksOf(cid, block, slices);
      if (length === 0) singleBlock.push({ cid, bytes: block.length });
      else multiBlock.push(cid);
    }
  }
  return { singleBlock, multiBlock };
}
