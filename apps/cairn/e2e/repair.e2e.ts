import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Cairn } from './cairn.ts';
import { HomeProcess } from './home-process.ts';

const cairn = new Cairn();
const reader = new HomeProcess();
let whole: string;

interface Report {
  readonly records: number;
  readonly problems: readonly string[];
}

beforeAll(async () => {
  await reader.build(`${cairn.home}-whole`);
  whole = await reader.read(`${cairn.home}-whole`);
});
beforeEach(() => {
  rmSync(cairn.home, { recursive: true });
  cpSync(`${cairn.home}-whole`, cairn.home, { recursive: true });
});
afterAll(() => {
  reader.stop();
  rmSync(`${cairn.home}-whole`, { recursive: true });
  cairn.remove();
});

/** Replaces a text in a data file by one of the same length. */
function damage(store: string, from: string, to: string): void {
  const path = join(cairn.home, store, 'data.mdb');
  const file = readFileSync(path);
  let found = 0;
  for (let at = file.indexOf(from); at !== -1; at = file.indexOf(from, at + 1)) {
    file.write(to, at);
    found++;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(path, file);
}

async function verify(): Promise<{ readonly code: number | null; readonly report: Report; readonly stderr: string }> {
  const { code, stdout, stderr } = await cairn.run('verify', '--json');
  return { code, stderr, report: JSON.parse(stdout || '{"problems":[]}') as Report };
}

test('verify reads every record of an intact home and reports only the pins without a DAG', async () => {
  const { report } = await verify();
  expect(report.records).toBeGreaterThan(1000);
  expect(report.problems.filter((problem) => problem.includes('damaged'))).toEqual([]);
});

test.each([
  ['accounts', '"name":"bob"', '"name":"bop"', 'Record "acc_bob" of database "accounts"'],
  ['pins', '"name":"pin 20"', '"name":"pin 2O"', 'of database "pins"'],
  ['files', '"changes":8', '"changes":9', 'Record "acc_ann" of database "roots"'],
])('verify names the damaged record of %s, and repair keeps all others', async (store, from, to, name) => {
  damage(store, from, to);
  const { code, report } = await verify();
  expect(code).toBe(1);
  expect(report.problems.join('\n')).toContain(name);
  expect(await reader.ask({ action: 'read', home: cairn.home })).toMatchObject({ code: 'STORE_CORRUPT' });

  // The directory stays: at no moment is the home without the store.
  const { ino } = statSync(join(cairn.home, store));
  const { records, lost, kept } = await cairn.json<{ records: number; lost: string[]; kept: string }>('repair', store);
  expect(records).toBeGreaterThan(0);
  expect(lost.join('\n')).toContain(`of database "${name.split('"').at(-2)}"`);
  expect(kept).toContain(`${store}.damaged-`);
  expect(readdirSync(kept)).toEqual(['data.mdb']);
  expect(statSync(join(cairn.home, store)).ino).toBe(ino);
  const after = await verify();
  expect(after.report.problems.filter((problem) => problem.includes('damaged'))).toEqual([]);
  expect('found' in (await reader.ask({ action: 'read', home: cairn.home }))).toBe(true);
});

test('repair rebuilds the index of blocks from their bytes', async () => {
  // All leaf pages of the index are lost, current ones and older versions.
  const path = join(cairn.home, 'blocks', 'data.mdb');
  const file = readFileSync(path);
  for (let at = 8192; at < file.length; at += 4096)
    if (file.readUInt16LE(at + 18) === 2 && hasIndexRecord(file, at)) file.fill(0, at, at + 4096);
  writeFileSync(path, file);
  expect((await verify()).report.problems.join('\n')).toMatch(/blocks: .*damaged/);
  const { index } = await cairn.json<{ index: { indexed: number } }>('repair', 'blocks');
  expect(index.indexed).toBeGreaterThan(0);
  expect((await verify()).report.problems.filter((problem) => problem.includes('damaged'))).toEqual([]);
  const now = await reader.ask({ action: 'read', home: cairn.home });
  const keysOf = (text: string) => JSON.parse(text)[1][0];
  expect('found' in now && keysOf(now.found)).toEqual(keysOf(whole));
});

/**
 * Reports whether the first node of a page has the key of a SHA-256 multihash and a sealed index record of 43 bytes.
 */
function hasIndexRecord(file: Buffer, at: number): boolean {
  const node = at + 24 + file.readUInt16LE(at + 24);
  if (node + 8 > at + 4096) return false;
  return file.readUInt32LE(node) === 43 && file.readUInt16LE(node + 6) === 34 && file.readUInt16BE(node + 8) === 0x1220;
}

test('repair refuses a store that does not exist', async () => {
  expect(await cairn.run('repair', 'chains')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('accounts, blocks'),
  });
});
