import type { Block, Blockstore } from '@cairn/blockstore';
import { blockKey, type DagSize } from './walk-dag.ts';

/** A store to import one DAG into, which counts it on the way so that pinning needs no walk. */
export interface DagRecorder extends Pick<Blockstore, 'putMany'> {
  readonly size: DagSize;
}

/**
 * Counts the blocks of a DAG as they are written. Only for importers that write every block of the DAG, and no other:
 * the size is then what {@link walkDag} would find.
 */
export function recordDag(store: Pick<Blockstore, 'putMany'>): DagRecorder {
  const seen = new Set<string>();
  let bytes = 0;
  return {
    get size() {
      return { blocks: seen.size, bytes };
    },
    async putMany(blocks: readonly Block[]) {
      for (const block of blocks) {
        const key = blockKey(block.cid);
        if (seen.has(key)) continue;
        seen.add(key);
        bytes += block.bytes.length;
      }
      await store.putMany(blocks);
    },
  };
}
