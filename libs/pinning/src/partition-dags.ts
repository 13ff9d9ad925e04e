import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { cidKey } from './cid-list.ts';
import { linksOf } from './links.ts';
import { isStored } from './walk-dag.ts';

/** DAGs by whether they are one block. */
export interface PartitionedDags {
  /** DAGs of one block, with its length. */
  readonly singles: readonly { readonly cid: CID; readonly bytes: number }[];
  readonly others: readonly CID[];
}

/** Tells DAGs of one block from others, each once. @throws BLOCK_NOT_FOUND, CODEC_UNSUPPORTED, DAG_INVALID */
export async function partitionDags(
  blocks: Pick<Blockstore, 'get' | 'size'>,
  cids: readonly CID[],
  signal: AbortSignal | undefined,
): Promise<PartitionedDags> {
  const slices = Slices.of(signal);
  const singles: { readonly cid: CID; readonly bytes: number }[] = [];
  const others: CID[] = [];
  const seen = new Set<string>();
  for (const cid of cids) {
    await slices.step();
    const key = cidKey(cid.bytes);
    if (seen.has(key)) continue;
    seen.add(key);
    if (!isStored(cid)) others.push(cid);
    else if (cid.code === codecs.raw) singles.push({ cid, bytes: await blocks.size(cid) });
    else {
      const block = await blocks.get(cid, signal ? { signal } : {});
      const { length } = await linksOf(cid, block, slices);
      if (length === 0) singles.push({ cid, bytes: block.length });
      else others.push(cid);
    }
  }
  return { singles, others };
}
