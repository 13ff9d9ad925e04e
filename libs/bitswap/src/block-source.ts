import type { BatchReads, Blockstore, Collectable } from '@cairn/blockstore/core';
import { type CID, verifyBytes } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { BlockSource } from './ports.ts';

export interface BlockSourceOptions {
  /** Quarantines corrupt blocks, so that adding the content again repairs them. */
  readonly quarantine?: Pick<Collectable, 'quarantine'>;
  /** Called with errors of reads. Their blocks are answered like absent ones. */
  readonly onError?: (error: unknown) => void;
}

/** Time of hashing after which other work gets a turn, in milliseconds. */
const hashSliceMs = 4;

/**
 * Serves blocks from a store. Blocks are verified on each read, so a store without
 * verification suffices. A store with {@link BatchReads} answers a batch from one snapshot.
 */
export function blockSourceFromBlockstore(
  store: Pick<Blockstore, 'get' | 'size'> & Partial<BatchReads>,
  options: BlockSourceOptions = {},
): BlockSource {
  return {
    sizes: (cids) => store.sizeMany?.(cids) ?? Promise.all(cids.map((cid) => readOne(() => store.size(cid), options))),
    async blocks(cids) {
      const blocks = [...(await readBlocks(store, cids, options))];
      let sliceStart = performance.now();
      for (const [at, cid] of cids.entries()) {
        const bytes = blocks[at];
        if (bytes === undefined) continue;
        if (!(await isIntact(cid, bytes, options))) blocks[at] = undefined;
        if (performance.now() - sliceStart < hashSliceMs) continue;
        await new Promise((resolve) => setImmediate(resolve));
        sliceStart = performance.now();
      }
      return blocks;
    },
  };
}

async function readBlocks(
  store: Pick<Blockstore, 'get' | 'size'> & Partial<BatchReads>,
  cids: readonly CID[],
  options: BlockSourceOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  try {
    if (store.getMany !== undefined) return await store.getMany(cids);
  } catch {
    // One damaged record must not refuse the other blocks: each is read alone.
  }
  return Promise.all(cids.map((cid) => readOne(() => store.get(cid), options)));
}

/** Runs a read. A block that is absent or cannot be read results in undefined. */
async function readOne<T>(read: () => Promise<T>, { onError }: BlockSourceOptions): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isCairnError(error, 'BLOCK_NOT_FOUND')) onError?.(error);
    return undefined;
  }
}

async function isIntact(cid: CID, bytes: Uint8Array, { quarantine, onError }: BlockSourceOptions): Promise<boolean> {
  try {
    verifyBytes(cid, bytes);
    return true;
  } catch (error) {
    onError?.(error);
    if (isCairnError(error, 'BLOCK_CORRUPT')) await quarantine?.quarantine(cid).catch((failure) => onError?.(failure));
    return false;
  }
}
