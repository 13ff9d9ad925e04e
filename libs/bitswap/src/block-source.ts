import type { BatchReads, Blockstore, Collectable } from '@cairn/blockstore/core';
import { type BlockVerifier, type CID, verifyBytes, verifyBytesInBackground } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { BlockSource } from './ports.ts';

export interface BlockSourceOptions {
  /** Quarantines corrupt blocks, so that adding the content again repairs them. */
  readonly quarantine?: Pick<Collectable, 'quarantine'>;
  /** Called with errors of reads. Their blocks are answered like absent ones. */
  readonly onError?: (error: unknown) => void;
  /** Verifies long blocks. Default: `verifyBytesInBackground`, which hashes each. */
  readonly verify?: BlockVerifier;
}

/** Bytes from which a block is verified by {@link BlockSourceOptions.verify}. A promise for each small block costs more than its hash. */
const longBytesMin = 32 * 1024;

/** Long blocks of a batch that are verified concurrently. */
const verifiedMax = 3;

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
      const entries = cids.entries();
      await Promise.all(Array.from({ length: verifiedMax }, () => verifyAll(entries, blocks, options)));
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

/** Verifies the blocks that the iterator returns. Clears those that are not intact. */
async function verifyAll(
  entries: Iterable<readonly [at: number, cid: CID]>,
  blocks: (Uint8Array | undefined)[],
  options: BlockSourceOptions,
): Promise<void> {
  let sliceStart = performance.now();
  for (const [at, cid] of entries) {
    const bytes = blocks[at];
    if (bytes === undefined) continue;
    if (!(await isIntact(cid, bytes, options))) blocks[at] = undefined;
    if (performance.now() - sliceStart < hashSliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceStart = performance.now();
  }
}

async function isIntact(cid: CID, bytes: Uint8Array, options: BlockSourceOptions): Promise<boolean> {
  const { quarantine, onError, verify = verifyBytesInBackground } = options;
  try {
    if (bytes.length < longBytesMin) verifyBytes(cid, bytes);
    else await verify(cid, bytes);
    return true;
  } catch (error) {
    onError?.(error);
    if (isCairnError(error, 'BLOCK_CORRUPT')) await quarantine?.quarantine(cid).catch((failure) => onError?.(failure));
    return false;
  }
}
