// Run with `npm run bench`. Compares databases with and without seals, alternately in one run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { type Database, Environment } from './index.ts';

const rounds = 5;
const count = 20_000;
const keys = Array.from({ length: count }, (_, index) => Buffer.from(`account ${(index * 7_919) % count}`));
const value = Buffer.alloc(100, 7);

test('sealed and plain records', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const environment = await Environment.open({
    directory,
    format: { name: 'bench', version: 1, seals: { except: ['plain'] } },
  });
  const rates = new Map<string, number[]>();
  const measure = async (name: string, run: () => unknown) => {
    const start = performance.now();
    await run();
    rates.set(name, [...(rates.get(name) ?? []), count / ((performance.now() - start) / 1000)]);
  };
  for (let round = 0; round < rounds; round++)
    for (const name of ['plain', 'sealed']) {
      const database = environment.database(name);
      await environment.transaction(() => {
        for (const key of [...database.keys()]) database.remove(key);
      });
      await measure(`${name}: put`, () => environment.transaction(() => putAll(database)));
      await measure(`${name}: get`, () => {
        for (const key of keys) database.get(key);
      });
      await measure(`${name}: get of an absent key`, () => {
        for (const key of keys) database.get(Buffer.concat([key, Buffer.of(1)]));
      });
      await measure(`${name}: last at or below a key`, () => {
        for (const key of keys) database.last({ end: key });
      });
      await measure(`${name}: range over all`, () => {
        for (const _ of database.range());
      });
    }
  await environment.close();
  rmSync(directory, { recursive: true });
  process.stdout.write('records per second: slowest, median, fastest round\n');
  for (const [name, all] of rates) {
    const sorted = all.sort((a, b) => a - b).map((rate) => Math.round(rate).toLocaleString('en'));
    process.stdout.write(`${name.padEnd(32)} ${sorted[0]}  ${sorted[rounds >> 1]}  ${sorted[rounds - 1]}\n`);
  }
}, 600_000);

function putAll(database: Database): void {
  for (const key of keys) database.put(key, value);
}
