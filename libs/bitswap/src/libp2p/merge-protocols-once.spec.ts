import { expect, test } from '@jest/globals';
import type { Peer } from '@libp2p/interface';
import { peerIdFromString } from '@libp2p/peer-id';
import { createNode } from './create-node.ts';
import { mergeProtocolsOnce } from './merge-protocols-once.ts';

const id = peerIdFromString('12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq');

test('mergeProtocolsOnce merges each protocol of a peer once, and all other data each time', async () => {
  const merged: unknown[] = [];
  const store = {
    merge: async (_: unknown, data: object) => {
      merged.push(data);
      return {} as Peer;
    },
  };
  mergeProtocolsOnce(store);
  for (let stream = 0; stream < 3; stream++) {
    await store.merge(id, { protocols: ['/a'] });
    await store.merge(id, { protocols: ['/b'] });
    await store.merge(id, { protocols: ['/a'], metadata: {} });
  }
  expect(merged).toEqual([
    { protocols: ['/a'] },
    { protocols: ['/b'] },
    ...Array.from({ length: 3 }, () => ({ protocols: ['/a'], metadata: {} })),
  ]);
});

test('a protocol whose merge failed is merged again', async () => {
  let calls = 0;
  const store = {
    merge: async (): Promise<Peer> => {
      calls++;
      throw new Error('the store is closed');
    },
  };
  mergeProtocolsOnce(store);
  const merge = store.merge as unknown as (peer: typeof id, data: object) => Promise<Peer>;
  await expect(merge(id, { protocols: ['/a'] })).rejects.toThrow('closed');
  await expect(merge(id, { protocols: ['/a'] })).rejects.toThrow('closed');
  expect(calls).toBe(2);
});

test('the peer store of a node knows the protocol of an incoming stream', async () => {
  const [alice, bob] = [await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] }), await createNode()];
  try {
    await alice.handle('/test/1', (stream) => void stream.close());
    const [address] = alice.getMultiaddrs();
    if (address === undefined) throw new Error('The node has no address.');
    for (let stream = 0; stream < 2; stream++) await (await bob.dialProtocol(address, '/test/1')).close();
    expect((await bob.peerStore.get(alice.peerId)).protocols).toContain('/test/1');
  } finally {
    await bob.stop();
    await alice.stop();
  }
});
