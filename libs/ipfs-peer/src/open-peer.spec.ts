import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { openPeerIdentity } from '@cairn/peer-api/identity';
import { describePeerApi } from '@cairn/peer-api/testing';
import { afterAll } from '@jest/globals';
import { openPeer, type PeerOptions } from './open-peer.ts';

const homes = mkdtempSync(join(tmpdir(), 'cairn-peers-'));
afterAll(() => rmSync(homes, { recursive: true }));
let homeNumber = 0;

async function open(options: Partial<PeerOptions> = {}) {
  const store = createMemoryBlockstore();
  const identity = await openPeerIdentity({ home: join(homes, String(homeNumber++)) });
  const peer = await openPeer({
    identity,
    store,
    listen: ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws'],
    allowsPrivate: true,
    ...options,
  });
  const [address = ''] = (await peer.api.describe()).addresses;
  return { ...peer, store, address };
}

describePeerApi('libp2p nodes', async () => {
  const [own, other] = [await open({ routing: 'dhtserver' }), await open({ routing: 'dhtserver' })];
  return {
    api: own.api,
    store: own.store,
    other: { peer: other.node.peerId.toString(), address: other.address },
    async offer(block) {
      await other.store.putMany([block]);
      other.api.exchange.announce([block.cid]);
    },
    async close() {
      await own.api.close();
      await other.api.close();
    },
  };
});
