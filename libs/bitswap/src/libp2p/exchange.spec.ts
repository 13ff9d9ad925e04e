import { describeBlockExchange } from '@cairn/block-exchange/testing';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { blockSourceFromBlockstore, openBitswap } from '../index.ts';
import { startWrongPeer } from '../testing/wrong-peer.fixture.ts';
import { createLibp2pTransport, createNode } from './index.ts';

describeBlockExchange('bitswap over libp2p', async () => {
  const nodes: Awaited<ReturnType<typeof createNode>>[] = [];
  const startNode = async () => {
    const node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
    nodes.push(node);
    const provider = { peer: node.peerId.toString(), addresses: node.getMultiaddrs().map(String) };
    return { transport: createLibp2pTransport(node), provider };
  };
  const startEngine = async () => {
    const store = createMemoryBlockstore();
    const { transport, provider } = await startNode();
    const engine = await openBitswap({ transport, source: blockSourceFromBlockstore(store) });
    return { store, provider, engine };
  };
  const { engine } = await startEngine();
  return {
    exchange: engine,
    async startNode() {
      const node = await startEngine();
      return {
        provider: node.provider,
        async put(blocks) {
          await node.store.putMany(blocks);
          node.engine.announce(blocks.map(({ cid }) => cid));
        },
      };
    },
    async startWrongNode() {
      const { transport, provider } = await startNode();
      await startWrongPeer(transport, provider.peer);
      return provider;
    },
    async stop() {
      for (const node of nodes) await node.stop();
    },
  };
});
