import type { Blockstore } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { DagTooLargeError } from './errors.ts';
import { linksOf } from './links.ts';

/** How much a complete DAG holds; a block that occurs twice counts once. */
export interface DagSize {
  readonly blocks: number;
  readonly bytes: number;
}

export interface WalkOptions {
  readonly signal?: AbortSignal;
  /** Told how many blocks have been seen, now and then. */
  readonly onProgress?: (blocks: number) => void;
  /** Default {@link dagBlocksMax}. */
  readonly blocksMax?: number;
}

/** 4 million blocks of 256 KiB are a terabyte; their names take some 400 MB of memory during a walk. */
export const dagBlocksMax = 4_000_000;

/**
 * Visits every block of a DAG once and makes sure that it is there.
 * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT (from a verified store), CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE
 */
export async function walkDag(
  store: Pick<Blockstore, 'get' | 'size'>,
  root: CID,
  { signal, onProgress, blocksMax = dagBlocksMax }: WalkOptions = {},
): Promise<DagSize> {
  const seen = new Set<string>();
  const open: CID[] = [root];
  let bytes = 0;
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    const key = blockKey(cid);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > blocksMax) throw new DagTooLargeError(root.toString(), blocksMax);
    signal?.throwIfAborted();
    if (cid.code === codecs.raw) bytes += await store.size(cid);
    else {
      const block = await store.get(cid, signal ? { signal } : {});
      bytes += block.length;
      for (const link of linksOf(cid, block).reverse()) open.push(link);
    }
    if (seen.size % 256 === 0) {
      onProgress?.(seen.size);
      // A store in memory answers without a turn of the event loop; others want theirs.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  onProgress?.(seen.size);
  return { blocks: seen.size, bytes };
}

/** One text for all CIDs of a block. */
export function blockKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
