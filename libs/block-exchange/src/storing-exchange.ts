import type { Blockstore } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import type { BlockExchange, FetchOptions } from './block-exchange.ts';

/** Stores fetched blocks: a fetch resolves when its block is durable and visible to other processes. */
export function storingExchange(exchange: BlockExchange, store: Pick<Blockstore, 'putMany' | 'sync'>): BlockExchange {
  const stored = async (cid: CID, fetching: Promise<Uint8Array>) => {
    const bytes = await fetching;
    // The bytes of an identity CID are in the CID.
    if (cid.multihash.code === 0) return bytes;
    await store.putMany([{ cid, bytes }]);
    await store.sync();
    return bytes;
  };
  return {
    fetch: (cid: CID, options?: FetchOptions) => stored(cid, exchange.fetch(cid, options)),
    openSession: (options) => {
      const session = exchange.openSession(options);
      return {
        fetch: (cid, fetchOptions) => stored(cid, session.fetch(cid, fetchOptions)),
        addProviders: (providers) => session.addProviders(providers),
        close: () => session.close(),
      };
    },
    announce: (cids) => exchange.announce(cids),
    peers: () => exchange.peers(),
    close: () => exchange.close(),
  };
}
