// node pack-index.mjs [10000 100000 …]
// Rates and size of the block index in PostgreSQL, with the packs in memory.
import { randomBytes } from 'node:crypto';
import { createHashedBlock } from '@cairn/blockstore';
import { openPackBlockstore } from '@cairn/pack-store';
import { openPostgres } from '@cairn/postgres';
import { startPostgres } from '../engines/index.mjs';

const counts = process.argv.slice(2).map(Number);
const batch = 1000;

/** The calls of an object store that the index needs. */
function memoryObjects() {
  const objects = new Map();
  return {
    async put(key, bytes) {
      objects.set(key, Buffer.concat([bytes].flat()));
    },
    async get(key, { range }) {
      return objects.get(key).subarray(range.offset, range.offset + range.length);
    },
  };
}

const server = await startPostgres();
if (server === undefined) throw new Error('PostgreSQL is not installed. Run node tools/engines/install.mjs.');
try {
  for (const count of counts.length > 0 ? counts : [10_000, 100_000]) await benchIndex(count);
} finally {
  await server.remove();
}

async function benchIndex(count) {
  const database = await openPostgres({ url: await server.createDatabase() });
  const store = await openPackBlockstore({ database, objects: memoryObjects() });
  const cids = [];
  const rate = async (name, size, work) => {
    const began = performance.now();
    let done = 0;
    for (let at = 0; at < count; at += size) done += (await work(cids.slice(at, at + size), at)) ?? size;
    const seconds = (performance.now() - began) / 1000;
    console.log(`${count} blocks: ${name}: ${Math.round(done / seconds)} blocks/s`);
  };
  await rate('put and sync, 1,000 a call', batch, async () => {
    const blocks = Array.from({ length: batch }, () => createHashedBlock(randomBytes(64), { codec: 'raw' }));
    for (const { cid } of blocks) cids.push(cid);
    await store.putMany(blocks, { owner: 7 });
    await store.sync();
  });
  await bytesPerBlock(database, 'after the puts', count);
  cids.sort(() => Math.random() - 0.5);
  await rate('sizeMany of 128', 128, async (some) => void (await store.sizeMany(some)));
  const cycle = await store.beginCycle();
  await rate('touchMany of 128 in a new cycle', 128, async (some) => void (await store.touchMany(some, { owner: 7 })));
  await rate('touchMany of 128 again', 128, async (some) => void (await store.touchMany(some, { owner: 7 })));
  await rate('unmarked and markMany of 512', 512, async (some) => {
    await store.unmarked(some, cycle);
    await store.markMany(some, cycle);
  });
  await bytesPerBlock(database, 'after a touch and a mark of all', count);
  let start;
  await rate('sweep of 256, no garbage', 256, async () => {
    start = (await store.sweep({ cycle, graceSeconds: 0, limit: 256, start })).next;
  });
  const next = await store.beginCycle();
  for (let at = 0; at < count / 2; at += 512) await store.markMany(cids.slice(at, Math.min(count / 2, at + 512)), next);
  start = undefined;
  await rate('sweep of 256, half garbage', 256, async () => {
    start = (await store.sweep({ cycle: next, graceSeconds: 0, limit: 256, start })).next;
  });
  await store.close();
  await database.close();
}

async function bytesPerBlock(database, when, count) {
  const { rows } = await database.read({
    text: "SELECT pg_table_size('pack_blocks') AS rows, pg_indexes_size('pack_blocks') AS indexes",
  });
  const [{ rows: table, indexes }] = rows;
  console.log(
    `${count} blocks: ${Math.round((table + indexes) / count)} bytes a block ${when} (indexes ${Math.round(indexes / count)})`,
  );
}
