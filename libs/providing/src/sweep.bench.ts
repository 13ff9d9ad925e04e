/** Cost of the sweep over a simulated DHT of 10,000 nodes: `npm run bench`. SWEEP_RECORDS sets the number of roots. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CID, cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { openLmdbProvideStore, ProvideSchedule } from './index.ts';
import { SimulatedDht } from './testing/simulated-dht.ts';

const records = Number(process.env.SWEEP_RECORDS ?? 100_000);

/** Simulation that counts messages and does not keep them. */
class CountingDht extends SimulatedDht {
  protected override keep(): void {
    // Messages are counted only.
  }
}

test(`${records} roots are announced to 10,000 nodes`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-sweep-'));
  const store = await openLmdbProvideStore({ directory });
  const dht = new CountingDht(10_000);
  const [sample] = [cidFor(Buffer.from('sample'), { codec: 'raw' })];
  const source = {
    async *cids() {
      for (let at = 0; at < records; at++) yield cidAt(sample, at);
    },
    includes: async () => true,
  };
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const before = process.memoryUsage().rss;
  let rssMax = 0;
  const watch = setInterval(() => {
    rssMax = Math.max(rssMax, process.memoryUsage().rss);
  }, 20);
  const schedule = new ProvideSchedule({ store, announcer: dht, source });
  delay.enable();
  const start = performance.now();
  schedule.start();
  let addedMs = 0;
  for (;;) {
    const { records: known, announced } = await schedule.counts();
    if (addedMs === 0 && known === records) addedMs = performance.now() - start;
    if (announced === records) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const ms = performance.now() - start;
  clearInterval(watch);
  const { lookups } = dht;
  console.log({
    records,
    addedMs: Math.round(addedMs),
    announcedMs: Math.round(ms),
    lookups,
    streams: dht.streams,
    messages: dht.messages,
    growthMiB: Math.round((rssMax - before) / 2 ** 20),
    delayP99Ms: Math.round(delay.percentile(99) / 1e6),
    delayMaxMs: Math.round(delay.max / 1e6),
  });
  expect(lookups).toBeLessThan(records);
  await schedule.stop();
  await store.close();
  rmSync(directory, { recursive: true });
}, 600_000);

/** Returns a CID with a counter in its digest: hashing content would dominate. */
function cidAt(sample: CID, at: number): CID {
  const bytes = Buffer.from(sample.bytes);
  bytes.writeUInt32BE(at, bytes.length - 4);
  return CID.decode(bytes);
}
