// A peer over an LMDB store, as the peer process runs it, controlled by messages of its parent: node peer.mjs DIRECTORY
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { blockSourceFromBlockstore, openBitswap } from '@cairn/bitswap';
import { createLibp2pTransport, createNode } from '@cairn/bitswap/libp2p';
import { createVerifiedBlock, openLmdbBlockstore } from '@cairn/blockstore';
import { parseCid } from '@cairn/cid';
import { linksOf } from '@cairn/pinning';

const store = await openLmdbBlockstore({ directory: process.argv[2] });
const source = blockSourceFromBlockstore(store, { quarantine: store });
/** Fetched bytes that wait for the disk. */
const put = (cid, bytes) => store.putMany([createVerifiedBlock(cid, bytes)]);
const node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
const engine = await openBitswap({ transport: createLibp2pTransport(node), source });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

/** Fetches the first leaf of a file, as a read of its first byte does. */
async function firstByte(root, providers) {
  const session = engine.openSession({ providers });
  for (let cid = parseCid(root); ; ) {
    const bytes = await session.fetch(cid);
    const [next] = await linksOf(cid, bytes);
    if (next === undefined) break;
    cid = next;
  }
  session.close();
}

/** Fetches a whole DAG. It ends when each block is verified and durable. */
async function fetchDag(root, providers) {
  const session = engine.openSession({ providers });
  const fetchBelow = async (cid) => {
    const bytes = await session.fetch(cid);
    await put(cid, bytes);
    await Promise.all([...(await linksOf(cid, bytes))].map(fetchBelow));
  };
  await fetchBelow(parseCid(root));
  await store.sync();
  session.close();
}

const commands = {
  describe: () => ({ peer: node.peerId.toString(), addresses: node.getMultiaddrs().map(String) }),
  firstByte: ({ root, providers }) => firstByte(root, providers),
  fetch: ({ root, providers }) => fetchDag(root, providers),
  async empty() {
    const cids = [];
    for await (const cid of store.keys()) cids.push(cid);
    for (const cid of cids) await store.delete(cid);
  },
  /** Resets the counters of `health`, which later answers include. */
  reset: () => {},
  health: () => {},
  stop: () => engine.close(),
};

process.on('message', async ({ id, command, ...options }) => {
  if (command !== 'health') delay.reset();
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  try {
    const result = await commands[command](options);
    const { user, system } = process.cpuUsage(cpuStart);
    process.send({ id, result, ms: performance.now() - start, cpuMs: (user + system) / 1000, ...health() });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
  if (command !== 'stop') return;
  await node.stop();
  await store.close();
  process.disconnect();
});

/** Longest stall of the event loop since the command began, and resident memory. */
function health() {
  return { stallMs: Math.max(0, delay.max / 1e6 - 5), rssMiB: process.memoryUsage().rss / 1024 ** 2 };
}
