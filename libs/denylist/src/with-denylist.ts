import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { Denylist } from './denylist.ts';
import { ContentDeniedError } from './errors.ts';

/** Refuses to read denied blocks. Writes are not refused: their blocks cannot be read. */
export function withDenylist(store: Blockstore, denylist: Pick<Denylist, 'cid'>): Blockstore {
  return {
    async get(cid, options) {
      assertAllowed(denylist, cid);
      return await store.get(cid, options);
    },
    has: (cid) => store.has(cid),
    async size(cid) {
      assertAllowed(denylist, cid);
      return await store.size(cid);
    },
    putMany: (blocks, options) => store.putMany(blocks, options),
    sync: () => store.sync(),
    delete: (cid) => store.delete(cid),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}

/** @throws CONTENT_DENIED for a block that a rule denies */
export function assertAllowed(denylist: Pick<Denylist, 'cid'>, cid: CID): void {
  const denial = denylist.cid(cid);
  if (denial !== undefined) throw new ContentDeniedError(cid.toString(), denial);
}
