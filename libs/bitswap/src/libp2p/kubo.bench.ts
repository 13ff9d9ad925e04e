// Measures 64 MiB from a real Kubo and to it over loopback, in alternation. Run with `npm run bench`.
import { randomBytes } from 'node:crypto';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { parseCid } from '@cairn/cid';
import { test } from '@jest/globals';
import { howToEnable } from '../../../../tools/peers/binaries.mjs';
import { blockSourceFromBlockstore, openBitswap } from '../index.ts';
import { createLibp2pTransport, createNode } from './index.ts';
import { startLoopbackKubo } from './kubo.fixture.ts';

const MiB = 1024 * 1024;
const size = 64 * MiB;
const rounds = 3;

/** Returns the rate of `run` and the longest stall of the event loop meanwhile. */
async function measure(run: () => Promise<unknown>): Promise<string> {
  let stall = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    stall = Math.max(stall, now - last - 10);
    last = now;
  }, 10);
  const start = performance.now();
  await run();
  clearInterval(timer);
  const rate = size / MiB / ((performance.now() - start) / 1000);
  return `${rate.toFixed(1)} MiB/s, longest stall ${Math.round(stall)} ms`;
}

test('64 MiB from Kubo and to Kubo', async () => {
  const kubo = await startLoopbackKubo();
  if (kubo === undefined) {
    process.stderr.write(`${howToEnable('kubo')}\n`);
    return;
  }
  try {
    for (let round = 0; round < rounds; round++) {
      // A new node: Kubo stops asking a connected peer whose engine was closed.
      const node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
      const cids = await kubo.add(randomBytes(size));
      const store = createMemoryBlockstore();
      const source = blockSourceFromBlockstore(store);
      const engine = await openBitswap({ transport: createLibp2pTransport(node), source });
      const session = engine.openSession({ providers: [kubo.provider] });
      const fetchAll = () => Promise.all(cids.map((cid) => session.fetch(parseCid(cid))));
      let blocks: Awaited<ReturnType<typeof fetchAll>> = [];
      const from = await measure(async () => {
        blocks = await fetchAll();
      });
      await store.putMany(blocks.map((bytes, index) => ({ cid: parseCid(cids[index] ?? ''), bytes })));
      await kubo.empty(cids[0] ?? '');
      const to = await measure(() => kubo.call(`pin/add?arg=${cids[0]}`).then((response) => response.text()));
      process.stdout.write(`from Kubo ${from}\nto Kubo   ${to}\n`);
      await engine.close();
      await node.stop();
    }
  } finally {
    await kubo.stop();
  }
}, 240_000);
