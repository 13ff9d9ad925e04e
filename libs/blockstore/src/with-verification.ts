import { assertHashAllowed, verifyBytes } from '@cairn/cid';
import type { Blockstore } from './blockstore.ts';

/**
 * Holds every block to its name on both sides of the store: wrong bytes are refused on write, rotten bytes on read.
 *
 * Blocks of identity CIDs are served from their name and never stored.
 * @throws BLOCK_CORRUPT from `get` and `putMany`; HASH_UNSUPPORTED for names that are not safe
 */
export function withVerification(store: Blockstore): Blockstore {
  return {
    async get(cid, options) {
      if (cid.multihash.code === 0) return inlineBytes(cid);
      const bytes = await store.get(cid, options);
      verifyBytes(cid, bytes);
      return bytes;
    },
    has: async (cid) => cid.multihash.code === 0 || (await store.has(cid)),
    size: async (cid) => (cid.multihash.code === 0 ? inlineBytes(cid).length : await store.size(cid)),
    async putMany(blocks) {
      for (const { cid, bytes } of blocks) {
        assertHashAllowed(cid.multihash);
        verifyBytes(cid, bytes);
      }
      const stored = blocks.filter(({ cid }) => cid.multihash.code !== 0);
      if (stored.length > 0) await store.putMany(stored);
    },
    sync: () => store.sync(),
    delete: (cid) => store.delete(cid),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}

function inlineBytes(cid: Parameters<Blockstore['get']>[0]): Uint8Array {
  assertHashAllowed(cid.multihash);
  return cid.multihash.digest;
}
