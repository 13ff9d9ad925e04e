import { benchCoalescing } from './upstreams/coalescing.mjs';
import { benchGenesis } from './upstreams/contracts.mjs';
import { benchLogs } from './upstreams/logs.mjs';
import { benchCacheMemory } from './upstreams/memory.mjs';
import { benchRounds, benchWithoutHints } from './upstreams/rounds.mjs';
import { delayMs, startChain, startOverProxy } from './upstreams/setup.mjs';
import { benchWarm } from './upstreams/warm.mjs';

const sizes = { tokenCount: 40, holders: 8, treeCount: 20 };

/**
 * Measures networks with upstreams: anvil behind a proxy that adds latency and counts round trips.
 * @param {{ mebibytes: number }} options content in the cache whose memory is measured
 */
export async function benchUpstreams({ mebibytes }) {
  console.log(`upstream: anvil behind a proxy that adds ${delayMs} ms`);
  const chain = await startChain(benchGenesis(sizes));
  try {
    const gateway = await startOverProxy(chain);
    try {
      await gateway.follow();
      await benchRounds(chain, gateway);
      await benchWarm(chain, gateway);
    } finally {
      await gateway.stop();
    }
    await benchWithoutHints(chain);
    await benchLogs(chain);
  } finally {
    await chain.stop();
  }
  await benchCoalescing();
  await benchCacheMemory(mebibytes);
}
