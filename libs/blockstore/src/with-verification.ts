import { assertHashAllowed, type BlockVerifier, verifyBytes, verifyBytesInBackground } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { Block, Blockstore } from './blockstore.ts';
import type { Collectable } from './collectable.ts';
import { isHashedBlock } from './hashed-block.ts';

/** Bytes from which another thread may hash a block. Shorter ones are not worth a promise each. */
const longBytesMin = 128 * 1024;

export interface VerificationOptions {
  /** Quarantines corrupt blocks, so that adding the content again repairs them. */
  readonly quarantine?: Pick<Collectable, 'quarantine'>;
  /** Verifies blocks that are read. Default: `verifyBytesInBackground`, which hashes each. */
  readonly verify?: BlockVerifier;
}

/**
 * Verifies every block against its CID, on write and on read; reads of a store that verifies them itself are not hashed again.
 * Blocks of `createHashedBlock` and `createVerifiedBlock` are not hashed again on write.
 *
 * Blocks of identity CIDs are read from the CID and never stored.
 * @throws BLOCK_CORRUPT from `get` and `putMany`; HASH_UNSUPPORTED for a hash function or digest length that is not safe
 */
export function withVerification(
  store: Blockstore,
  { quarantine, verify = verifyBytesInBackground }: VerificationOptions = {},
): Blockstore {
  return {
    async get(cid, options) {
      if (cid.multihash.code === 0) return inlineBytes(cid);
      const bytes = await store.get(cid, options);
      if (store.verifiesReads) return bytes;
      try {
        await verify(cid, bytes);
      } catch (error) {
        // The block must not be served, even when the quarantine cannot be written.
        if (isCairnError(error, 'BLOCK_CORRUPT')) await quarantine?.quarantine(cid).catch(() => {});
        throw error;
      }
      return bytes;
    },
    has: async (cid) => cid.multihash.code === 0 || (await store.has(cid)),
    size: async (cid) => (cid.multihash.code === 0 ? inlineBytes(cid).length : await store.size(cid)),
    async putMany(blocks, options) {
      for (const { cid } of blocks) assertHashAllowed(cid.multihash);
      await verifyAll(blocks.filter((block) => !isHashedBlock(block)));
      const stored = blocks.filter(({ cid }) => cid.multihash.code !== 0);
      if (stored.length > 0) await store.putMany(stored, options);
    },
    sync: () => store.sync(),
    delete: (cid) => store.delete(cid),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}

/** Verifies long blocks in other threads where some are free, so that an import of them does not stop other work. */
async function verifyAll(blocks: readonly Block[]): Promise<void> {
  const long: Block[] = [];
  for (const block of blocks) {
    if (block.bytes.length < longBytesMin) verifyBytes(block.cid, block.bytes);
    else long.push(block);
  }
  await Promise.all(long.map(({ cid, bytes }) => verifyBytesInBackground(cid, bytes)));
}

function inlineBytes(cid: Parameters<Blockstore['get']>[0]): Uint8Array {
  assertHashAllowed(cid.multihash);
  return cid.multihash.digest;
}
