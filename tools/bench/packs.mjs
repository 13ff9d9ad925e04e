import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbBlockstore, withVerification } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { openS3ObjectStore } from '@cairn/object-store/s3';
import { createPackReader, createPackWriter, openBlockCache, withBlockCache } from '@cairn/pack-store';
import { howToEnableEngine, startS3 } from '../engines/index.mjs';

const KiB = 1024;
const MiB = 1024 * KiB;
const blockBytes = 256 * KiB;
const packBytes = 16 * MiB;
/** Objects in flight of the plain measurements: those of a pack writer. */
const parallel = 4;

/** Compares packs with plain objects of the same S3 server, and the local cache with the LMDB store, alternately. */
export async function benchPacks({ home, mebibytes, rounds }) {
  const server = await startS3();
  if (server === undefined) throw new Error(howToEnableEngine('s3'));
  const directory = mkdtempSync(join(home, '.cairn-bench-packs-'));
  const objects = await openS3ObjectStore({ url: server.createStore(), credentials: server });
  try {
    const ratios = { add: [], cold: [], batches: [], warm: [], warmProcessor: [] };
    for (let round = 0; round < rounds; round++) {
      const bytes = mebibytes * MiB;
      const plain = await plainRates(objects, bytes);
      const packs = await packRates(objects, bytes, join(directory, `${round}`));
      ratios.add.push(packs.add / plain.put);
      ratios.cold.push(packs.cold / plain.get);
      ratios.batches.push(packs.batches / plain.get);
      ratios.warm.push(packs.warm / packs.lmdb);
      ratios.warmProcessor.push(packs.lmdbProcessor / packs.warmProcessor);
      const line = { ...plain, ...packs };
      console.log(
        `round ${round + 1}, MiB/s:`,
        ...Object.entries(line).map(([name, rate]) => `${name} ${rate.toFixed(0)}`),
      );
    }
    report('add of 256 KiB blocks / parallel PUT', ratios.add, 0.6);
    report('cold sequential read / parallel GET', ratios.cold, 0.7);
    report('cold batches of 16 blocks / parallel GET', ratios.batches, 0.7);
    report('warm cache / LMDB store, both verified', ratios.warm, 0.9);
    report('the same by processor time', ratios.warmProcessor, 0.9);
    for (const clients of [1, 8, 64]) await smallAdds(objects, clients);
  } finally {
    await objects.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Rates of plain objects of the length of a pack, whose hashes are known. */
async function plainRates(objects, bytes) {
  const body = randomBytes(packBytes);
  const sha256 = createHash('sha256').update(body).digest();
  const keys = Array.from({ length: bytes / packBytes }, (_, n) => `plain/${n}`);
  const put = await rate(bytes, () => inParallel(keys, (key) => objects.put(key, body, { sha256 })));
  const get = await rate(bytes, () => inParallel(keys, (key) => objects.get(key)));
  await objects.deleteMany(keys);
  return { put, get };
}

/** Rates of the same bytes as blocks in packs, read without a cache and with one. */
async function packRates(objects, bytes, directory) {
  const blocks = Array.from({ length: bytes / blockBytes }, () => {
    const content = randomBytes(blockBytes);
    return { bytes: content, cid: cidFor(content, { codec: 'raw' }) };
  });
  const locations = new Map();
  const writer = createPackWriter({
    objects,
    async onPack({ key, entries }) {
      for (const entry of entries) locations.set(String(entry.cid), { ...entry, pack: key });
    },
  });
  const add = await rate(bytes, async () => {
    for (let start = 0; start < blocks.length; start += 16) await writer.add(blocks.slice(start, start + 16), 1);
    await writer.flush();
  });
  await writer.close();
  const places = blocks.map(({ cid }) => locations.get(String(cid)));
  const cold = await rate(bytes, () => readSequentially(createPackReader({ objects }), places));
  const batches = await rate(bytes, () => readInBatches(createPackReader({ objects }), places));
  const cache = await openBlockCache({ directory: `${directory}-cache`, bytesMax: bytes * 2 });
  for (let start = 0; start < blocks.length; start += 8) {
    cache.put(blocks.slice(start, start + 8));
    await cache.settled();
  }
  const reader = withBlockCache(createPackReader({ objects }), cache);
  const before = objects.traffic().get.requests;
  const lmdb = withVerification(await openLmdbBlockstore({ directory: `${directory}-lmdb` }));
  await lmdb.putMany(blocks);
  await lmdb.sync();
  const rates = { warm: 0, lmdb: 0, warmProcessor: 0, lmdbProcessor: 0 };
  const readers = { warm: reader, lmdb: { get: ({ cid }) => lmdb.get(cid) } };
  for (let turn = 0; turn < 5; turn++)
    for (const [name, one] of Object.entries(readers)) {
      const start = process.cpuUsage();
      rates[name] = Math.max(rates[name], await rate(bytes, () => readSequentially(one, places)));
      const { user, system } = process.cpuUsage(start);
      rates[`${name}Processor`] += (user + system) / 1000;
    }
  if (objects.traffic().get.requests !== before) throw new Error('warm reads sent requests');
  await Promise.all([cache.close(), lmdb.close()]);
  await objects.deleteMany([...new Set(places.map(({ pack }) => pack))]);
  return { add, cold, batches, ...rates };
}

/** Reads as `cat` does: four blocks ahead. */
async function readSequentially(reader, places) {
  const ahead = [];
  for (const place of places) {
    ahead.push(reader.get(place));
    if (ahead.length > 4) await ahead.shift();
  }
  await Promise.all(ahead);
}

async function readInBatches(reader, places) {
  const batches = Array.from({ length: places.length / 16 }, (_, n) => places.slice(n * 16, n * 16 + 16));
  await inParallel(batches, (batch) => reader.getMany(batch));
}

/** Adds of 4 KiB, each of which waits until it is durable. The index takes 3 ms, as one statement of PostgreSQL does. */
async function smallAdds(objects, clients) {
  const count = Math.min(6000, clients * 100);
  const writer = createPackWriter({ objects, onPack: () => new Promise((resolve) => setTimeout(resolve, 3)) });
  const before = objects.traffic().put.requests;
  const latencies = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = client; n < count; n += clients) {
        const bytes = randomBytes(4 * KiB);
        const began = performance.now();
        await writer.add([{ bytes, cid: cidFor(bytes, { codec: 'raw' }) }], client + 1);
        await writer.flush();
        latencies.push(performance.now() - began);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const requests = objects.traffic().put.requests - before;
  latencies.sort((one, other) => one - other);
  await writer.close();
  console.log(
    `4 KiB adds, ${clients} clients`.padEnd(44),
    `${(count / seconds).toFixed(0).padStart(6)}/s  ${(count / requests).toFixed(1)} adds a request`,
    clients === 64 ? '(goal 1000/s, 20)' : '',
    `p50 ${latencies[count >> 1].toFixed(0)} ms  p99 ${latencies[Math.floor(count * 0.99)].toFixed(0)} ms`,
  );
}

async function inParallel(items, work) {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** MiB per second. */
async function rate(bytes, work) {
  const start = performance.now();
  await work();
  return bytes / MiB / ((performance.now() - start) / 1000);
}

function report(name, ratios, goal) {
  const sorted = [...ratios].sort((one, other) => one - other);
  const median = sorted[sorted.length >> 1];
  const spread = `${sorted[0].toFixed(2)} to ${sorted.at(-1).toFixed(2)}`;
  console.log(name.padEnd(44), `${median.toFixed(2)} (${spread}; goal ${goal})`);
}
