// Peers that request blocks, controlled by messages of their parent: node requesters.mjs ADDRESS PEERS
import { openBitswap } from '@cairn/bitswap';
import { createLibp2pTransport, createNode } from '@cairn/bitswap/libp2p';
import { parseCid } from '@cairn/cid';
import { multiaddr } from '@multiformats/multiaddr';

const [address, peers] = [multiaddr(process.argv[2]), Number(process.argv[3])];

/** Source of a peer that stores nothing, so that each round requests all blocks again. */
const source = {
  sizes: async (cids) => cids.map(() => undefined),
  blocks: async (cids) => cids.map(() => undefined),
  putMany: async () => {},
  sync: async () => {},
};

let received = 0;
const requesters = await Promise.all(Array.from({ length: peers }, startRequester));
process.on('message', async ({ cids, isEnd }) => {
  if (cids === undefined) {
    if (isEnd) for (const requester of requesters) requester.end();
    process.send({ received });
    return;
  }
  received = 0;
  const parsed = cids.map(parseCid);
  const ended = await Promise.all(requesters.map((requester) => requester.fetchAll(parsed)));
  process.send({ completed: ended.filter(Boolean).length });
});
process.send({ isReady: true });

async function startRequester() {
  const node = await createNode();
  const connection = await dial(node);
  const engine = await openBitswap({ transport: createLibp2pTransport(node), source });
  const providers = [{ peer: connection.remotePeer.toString(), addresses: [address.toString()] }];
  let session;
  return {
    /** Requests all blocks concurrently. Resolves to whether all arrived before the end. */
    async fetchAll(cids) {
      session = engine.openSession({ providers });
      const fetchOne = async (cid) => {
        await session.fetch(cid);
        received++;
      };
      const results = await Promise.allSettled(cids.map(fetchOne));
      session.close();
      return results.every(({ status }) => status === 'fulfilled');
    },
    end: () => session?.close(),
  };
}

/** Dials until the peer accepts: it refuses more than some connections of one host per second. */
async function dial(node) {
  for (;;) {
    const connection = await node.dial(address).catch(() => undefined);
    if (connection !== undefined) return connection;
    await new Promise((resolve) => setTimeout(resolve, 200 + 1000 * Math.random()));
  }
}
