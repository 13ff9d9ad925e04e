import { type Blockstore } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { BlockSource } from './ports.ts';

/**
 * Serves blocks from a store and writes received ones to it. The calls of one batch start in the same turn of the event
 * loop, so that LMDB answers them from one read transaction.
 */
export function blockSourceFromBlockstore(store: Blockstore): BlockSource {
  const orAbsent = <T>(call: Promise<T>) =>
    call.catch((error: unknown) => {
      if (isCairnError(error, 'BLOCK_NOT_FOUND')) return undefined;
      throw error;
    });
  return {
    sizes: (cids: readonly CID[]) => Promise.all(cids.map((cid) => orAbsent(store.size(cid)))),
    blocks: (cids: readonly CID[]) => Promise.all(cids.map((cid) => orAbsent(store.get(cid)))),
    putMany: (blocks) => store.putMany(blocks),
  };
}
