import type { Blockstore } from '@cairn/blockstore/core';
import { assertHashAllowed, type CID } from '@cairn/cid';

const identityCode = 0x00;

/** Reports whether a CID contains its block. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === identityCode;
}

/** Adds the blocks of identity CIDs to a store, which does not have them. @throws HASH_UNSUPPORTED for one that is too long */
export function withIdentity(store: Pick<Blockstore, 'get' | 'has'>): Pick<Blockstore, 'get' | 'has'> {
  return {
    get: async (cid, options) => {
      if (!isIdentity(cid)) return await store.get(cid, options);
      assertHashAllowed(cid.multihash);
      return cid.multihash.digest;
    },
    has: async (cid) => isIdentity(cid) || (await store.has(cid)),
  };
}
