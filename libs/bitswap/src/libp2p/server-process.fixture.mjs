// Server of hostile-libp2p.spec.ts: node server-process.fixture.mjs BLOCKS
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor, parseCid } from '@cairn/cid';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { blockSourceFromBlockstore, openBitswap } = await built('index.js');
const { createLibp2pTransport, createNode } = await built('libp2p/index.js');

const store = createMemoryBlockstore();
const cids = [];
for (let number = 0; number < Number(process.argv[2]); number++) {
  const bytes = Buffer.alloc(64 * 1024, `block ${number} `);
  const cid = cidFor(bytes, { codec: 'raw' });
  await store.putMany([{ cid, bytes }]);
  cids.push(cid.toString());
}
const before = (await store.stats()).blocks;
let excluded = 0;
let peakMiB = 0;
setInterval(() => {
  peakMiB = Math.max(peakMiB, process.memoryUsage().rss / 1024 ** 2);
}, 20);
const node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
const engine = await openBitswap({
  transport: createLibp2pTransport(node),
  source: blockSourceFromBlockstore(store),
  limits: { requestMsMin: 500, requestMsMax: 2000, stallMs: 500 },
  onExcluded: () => excluded++,
});
process.on('message', async ({ command, cid, from }) => {
  if (command === 'fetch') engine.fetch(parseCid(cid), { providers: [from] }).catch(() => {});
  else
    process.send({
      peakMiB,
      excluded,
      storedBlocks: (await store.stats()).blocks - before,
      wants: engine.stats().peersWants,
    });
});
process.on('disconnect', () => process.exit());
process.send({
  provider: { peer: node.peerId.toString(), addresses: node.getMultiaddrs().map(String) },
  cids,
});
