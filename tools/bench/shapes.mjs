#!/usr/bin/env node
// node shapes.mjs [--seconds 2] [--only TEXT]: new shapes (maps of V8) for each request of the gateway and the storage API, and the
// lines of the built code that make them. A hot path makes none: the first reads of an object of a new shape miss their caches.
// The usual cause is a field after a spread, as in `{ ...options, world }`.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startGateway, startStorage } from '../peers/cairn.mjs';
import { measureRpc, readChain, rpcRows } from './peers/rpc-rows.mjs';
import { storageRows } from './peers/storage-rows.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, only: { type: 'string', default: '' } },
});
const seconds = Number(values.seconds);
/** Shapes for each request below which a line is left out: timers and batches of writes make some. */
const listedMin = 0.2;
/** Milliseconds until V8 has written its log. */
const writtenMs = 500;
const directory = mkdtempSync(join(tmpdir(), 'cairn-shapes-'));
const network = (name) => fileURLToPath(new URL(`../sample-network/network/${name}`, import.meta.url));
const settings = { CAIRN_PROCESSES: '1', CAIRN_IPFS_PEER: 'off' };

await report('rpc-gateway', async (nodeArgs) => {
  const chain = { genesis: network('genesis.json'), blocks: network('chain.rlp') };
  const gateway = await startGateway(chain, settings, { nodeArgs });
  const read = await readChain(gateway.url);
  const server = { url: gateway.url, blockHash: read.blockHash };
  const rows = rpcRows(read).filter(({ peer }) => peer === 'geth');
  return {
    rows: rows.map((row) => ({ name: row.name, measure: () => measureRpc(row, server, { seconds }) })),
    stop: gateway.stop,
  };
});
await report('storage-api', async (nodeArgs) => {
  const storage = await startStorage(settings, { nodeArgs });
  const server = { url: storage.url, authorization: (await storage.openAccount()).authorization };
  const rows = storageRows(1).filter(({ unit, name }) => unit === undefined && !name.includes('unpin'));
  return {
    rows: rows.map((row) => ({ name: row.name, measure: () => row.measure(server, { seconds }) })),
    stop: storage.stop,
  };
});
rmSync(directory, { recursive: true });

/** Measures the rows of a service twice, and reports the shapes of the second, warm run. */
async function report(service, start) {
  const log = join(directory, `${service}.log`);
  const { rows, stop } = await start(['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`]);
  try {
    for (const { name, measure } of rows.filter((row) => row.name.includes(values.only))) {
      await measure();
      await delay(writtenMs);
      const from = readFileSync(log).length;
      const { count } = await measure();
      await delay(writtenMs);
      const places = placesIn(readFileSync(log).subarray(from).toString('latin1'));
      const total = [...places.values()].reduce((sum, each) => sum + each, 0);
      console.log(`${name.padEnd(44)} ${(total / count).toFixed(2).padStart(7)} shapes a request`);
      for (const [place, each] of places)
        if (each / count >= listedMin) console.log(`  ${(each / count).toFixed(2)} ${describe(service, place)}`);
    }
  } finally {
    await stop();
  }
}

/** Counts added fields by `line,column,field`. A record is `map,Transition,time,from,to,pc,line,column,reason,field`. */
function placesIn(text) {
  const counts = new Map();
  for (const record of text.split('\n')) {
    const [kind, event, , , , , line, column, , ...field] = record.split(',');
    if (kind !== 'map' || event !== 'Transition') continue;
    const place = [line, column, field.join(',')].join();
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** V8 names no file: those of the service that have the field in this line are listed. */
function describe(service, place) {
  const [line, column, ...field] = place.split(',');
  const dist = fileURLToPath(new URL(`../../apps/${service}/dist/`, import.meta.url));
  const found = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, text: readFileSync(join(dist, name), 'utf8').split('\n')[Number(line) - 1] ?? '' }))
    .filter(({ text }) => text.includes(field.join(',')));
  const at = found.map(({ name, text }) => `${name}:${line}:${column} ${text.trim().slice(0, 100)}`);
  return `${field.join(',')} at ${at.join(' or ') || `line ${line} of Node or of a package`}`;
}
