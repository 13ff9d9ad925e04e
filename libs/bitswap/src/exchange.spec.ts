import { describeBlockExchange } from '@cairn/block-exchange/testing';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { blockSourceFromBlockstore, openBitswap } from './index.ts';
import { createMemoryNetwork } from './testing/index.ts';
import { startWrongPeer } from './testing/wrong-peer.fixture.ts';

const limits = { requestMsMin: 40, requestMsMax: 200, recheckMs: 100 };

describeBlockExchange('bitswap over memory', async () => {
  const network = createMemoryNetwork();
  const stops: (() => Promise<void>)[] = [];
  const open = async (name: string) => {
    const store = createMemoryBlockstore();
    const source = blockSourceFromBlockstore(store);
    const engine = await openBitswap({ transport: network.transport(name), source, limits });
    return { store, engine };
  };
  const { engine } = await open('alice');
  return {
    exchange: engine,
    async startNode() {
      const peer = `node${stops.length}`;
      const node = await open(peer);
      stops.push(() => node.engine.close());
      return {
        provider: { peer },
        async put(blocks) {
          await node.store.putMany(blocks);
          node.engine.announce(blocks.map(({ cid }) => cid));
        },
      };
    },
    startWrongNode: () => startWrongPeer(network.transport('mallory'), 'mallory'),
    async stop() {
      for (const stop of stops) await stop();
    },
  };
});
