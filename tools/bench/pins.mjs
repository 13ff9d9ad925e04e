// Pins, removals, listings and usage: the embedded store beside PostgreSQL, alternately, with one account and with many.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { openLmdbPinStore } from '@cairn/pinning';
import { openPostgresPinStore } from '@cairn/pinning/postgres';
import { openPostgres } from '@cairn/postgres';
import { howToEnableEngine, startPostgres } from '../engines/index.mjs';

/** Clients that call concurrently, and pins of one call while a store is filled. */
const clients = 256;
const pinsPerFill = 1000;
const manyAccounts = 256;
const quota = { bytesMax: Number.MAX_SAFE_INTEGER };

/** Prints operations a second of both stores at each number of pins, lowest and highest round, and the ratio of the medians. */
export async function benchPins({ rounds, count, sizes }) {
  const server = await startPostgres();
  if (server === undefined) return console.log(howToEnableEngine('postgres'));
  try {
    for (const accounts of [1, manyAccounts]) await benchAccounts(server, accounts, { rounds, count, sizes });
  } finally {
    await server.remove();
  }
}

async function benchAccounts(server, accounts, { rounds, count, sizes }) {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-pins-'));
  const database = await openPostgres({ url: await server.createDatabase() });
  const stores = { embedded: await openLmdbPinStore({ directory }), postgres: await openPostgresPinStore(database) };
  try {
    let filled = 0;
    for (const size of sizes) {
      for (const store of Object.values(stores)) await fill(store, accounts, filled, size);
      filled = size;
      await database.write({ text: 'ANALYZE' });
      await report(stores, accounts, { rounds, count, size });
      const { rows } = await database.read({
        text: "SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class WHERE relkind = 'r' AND relname LIKE 'pin%'",
      });
      const embedded = statSync(join(directory, 'data.mdb')).size;
      console.log(
        `  bytes per pin: embedded ${Math.round(embedded / size)}, postgres ${Math.round(rows[0].bytes / size)}`,
      );
    }
  } finally {
    await stores.embedded.close();
    await database.close();
    rmSync(directory, { recursive: true });
  }
}

async function report(stores, accounts, { rounds, count, size }) {
  const rates = new Map();
  for (let round = 0; round <= rounds; round++)
    for (const [name, store] of Object.entries(stores))
      for (const [operation, rate] of Object.entries(await measure(store, accounts, { count, size }))) {
        const found = rates.get(operation) ?? { embedded: [], postgres: [] };
        // The first round warms up.
        if (round > 0) found[name].push(rate);
        rates.set(operation, found);
      }
  console.log(`${size} pins of ${accounts} accounts`);
  for (const [operation, found] of rates) {
    const shown = Object.entries(found).map(
      ([name, list]) => `${name} ${Math.round(Math.min(...list))} to ${Math.round(Math.max(...list))}`,
    );
    const ratio = median(found.postgres) / median(found.embedded);
    console.log(`  ${operation.padEnd(28)} ${shown.join(', ')} a second; ratio ${ratio.toFixed(2)}`);
  }
}

/** Returns operations a second. The pins that are created are removed again. */
async function measure(store, accounts, { count, size }) {
  const pins = Array.from({ length: count }, newPin);
  const account = (n) => accountOf(n % accounts);
  const first = await firstPins(store, accountOf(0));
  const rates = { pin: await rate(count, clients, (n) => store.put(account(n), [pins[n]], quota)) };
  rates['pin a known root'] = await rate(count, clients, async (n) => {
    const known = await store.putKnownRoot(account(n + 1), { ...pins[n], size: undefined }, quota);
    if (known === undefined) throw new Error(`root ${pins[n].cid} is unknown`);
  });
  if (accounts > 1) await rate(count, clients, (n) => store.remove(account(n + 1), [pins[n].cid]));
  rates.unpin = await rate(count, clients, (n) => store.remove(account(n), [pins[n].cid]));
  const few = Math.min(count, 200);
  rates['pin, one client'] = await rate(few, 1, (n) => store.put(account(n), [pins[n]], quota));
  rates['unpin, one client'] = await rate(few, 1, (n) => store.remove(account(n), [pins[n].cid]));
  rates.usage = await rate(count, 8, (n) => store.usage(account(n)));
  rates.get = await rate(count, 8, (n) => store.get(accountOf(0), first[n % first.length]));
  rates['ls, first 1000 pins'] = await rate(20, 1, () => firstPins(store, accountOf(0)));
  rates['ls, pins of all accounts'] = await listAll(store, accounts, size);
  return rates;
}

async function rate(count, concurrency, operation) {
  let started = 0;
  const start = performance.now();
  const work = async () => {
    for (let n = started++; n < count; n = started++) await operation(n);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return (count * 1000) / (performance.now() - start);
}

async function firstPins(store, account) {
  const cids = [];
  for await (const { cid } of store.list(account)) if (cids.push(cid) >= 1000) break;
  return cids;
}

async function listAll(store, accounts, size) {
  let listed = 0;
  const start = performance.now();
  for (let n = 0; n < accounts; n++) for await (const _ of store.list(accountOf(n))) listed++;
  if (listed < size) throw new Error(`${listed} of ${size} pins were listed`);
  return (listed * 1000) / (performance.now() - start);
}

async function fill(store, accounts, from, to) {
  for (let n = from; n < to; n += pinsPerFill) {
    const pins = Array.from({ length: Math.min(pinsPerFill, to - n) }, newPin);
    const account = accountOf(Math.floor(n / pinsPerFill) % accounts);
    await store.put(account, pins, quota);
  }
}

function accountOf(number) {
  return `acc_${number}`;
}

function newPin() {
  const cid = cidFor(randomBytes(32), { codec: 'dag-pb' });
  return { cid, mode: 'recursive', name: 'photo.jpg', createdAt: Date.now(), size: { blocks: 3, bytes: 600_000 } };
}

function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
}
