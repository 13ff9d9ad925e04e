// Token lots a second: the embedded store beside Redis, alternately.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbLimitStore } from '@cairn/metering';
import { openRedisLimitStore } from '@cairn/metering/redis';
import { openRedis } from '@cairn/redis';
import { howToEnableEngine, startRedis } from '../engines/index.mjs';

const rule = { kind: 'bucket', ratePerSecond: 1e9, capacity: 1e9 };

/** Prints lots a second of both stores, lowest and highest round, and the ratio of the medians. */
export async function benchLimits({ rounds, count }) {
  const server = await startRedis();
  if (server === undefined) return console.log(howToEnableEngine('redis'));
  const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-limits-'));
  const redis = await openRedis({ url: server.url, commandMs: 5000 });
  const stores = { embedded: await openLmdbLimitStore({ directory }), redis: await openRedisLimitStore(redis) };
  try {
    for (const accounts of [1, 64]) {
      const rates = { embedded: [], redis: [] };
      for (let round = 0; round <= rounds; round++)
        for (const [name, store] of Object.entries(stores)) {
          const rate = await lotsPerSecond(store, accounts, count);
          // The first round warms up.
          if (round > 0) rates[name].push(rate);
        }
      const shown = Object.entries(rates).map(
        ([name, found]) => `${name} ${Math.round(Math.min(...found))} to ${Math.round(Math.max(...found))}`,
      );
      const ratio = median(rates.redis) / median(rates.embedded);
      console.log(`lots a second, ${accounts} accounts: ${shown.join(', ')}; ratio ${ratio.toFixed(2)}`);
    }
  } finally {
    await stores.embedded.close();
    await stores.redis.close();
    await redis.close();
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Takes lots for all accounts concurrently, one after the other for each account. */
async function lotsPerSecond(store, accounts, count) {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: accounts }, async (_, account) => {
      for (let taken = 0; taken < count; taken += accounts)
        await store.take([{ key: `acc_${account}\0requests`, rule, min: 1, want: 100 }]);
    }),
  );
  return (count * 1000) / (performance.now() - start);
}

function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
}
