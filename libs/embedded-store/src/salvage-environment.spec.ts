import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Environment, type StoreFormat, salvageEnvironment } from './index.ts';

const format: StoreFormat = { name: 'test', version: 1, seals: { except: ['plain'] } };
const count = 800;
let directory: string;
let from: string;
let to: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-salvage-'));
  [from, to] = [join(directory, 'from'), join(directory, 'to')];
  const environment = await Environment.open({ directory: from, format });
  const [sealed, plain] = [environment.database('sealed'), environment.database('plain')];
  for (let round = 0; round < 4; round++)
    await environment.transaction(() => {
      for (let index = round; index < count; index += 4) {
        sealed.put(Buffer.from(`key ${index}`), Buffer.from(`value ${index} `.repeat(6)));
        if (index % 100 === 0) plain.put(Buffer.from(`long ${index}`), Buffer.alloc(9000, index % 251));
      }
    });
  await environment.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

function change(edit: (file: Buffer) => void): void {
  const path = join(from, 'data.mdb');
  const file = readFileSync(path);
  edit(file);
  writeFileSync(path, file);
}

async function saved() {
  const environment = await Environment.open({ directory: to, format });
  try {
    await environment.verifyPages();
    const keys = [...environment.database('sealed').keys()].map((key) => Buffer.from(key).toString());
    return { keys, plain: environment.database('plain').count() };
  } finally {
    await environment.close();
  }
}

test('salvageEnvironment copies every record of an intact store', async () => {
  expect(await salvageEnvironment({ from, to, format })).toEqual({ records: count + 8, lost: [] });
  const { keys, plain } = await saved();
  expect(keys).toEqual(Array.from({ length: count }, (_, index) => `key ${index}`).sort());
  expect(plain).toBe(8);
});

test('salvageEnvironment names a damaged record and copies all others', async () => {
  change((file) => {
    for (let at = file.indexOf('value 77 value'); at !== -1; at = file.indexOf('value 77 value', at + 1))
      file[at] = 0x56;
  });
  const { records, lost } = await salvageEnvironment({ from, to, format });
  expect(lost).toEqual(['record "key 77" of database "sealed"']);
  expect(records).toBe(count + 7);
  expect((await saved()).keys).not.toContain('key 77');
});

test('salvageEnvironment copies the records below a lost branch page', async () => {
  change((file) => {
    for (let at = 8192; at < file.length; at += 4096) if (file.readUInt16LE(at + 18) === 1) file.fill(0, at, at + 4096);
  });
  const { lost } = await salvageEnvironment({ from, to, format, shouldCopy: (database) => database === 'sealed' });
  expect(lost.join()).toContain('database "sealed": page');
  expect((await saved()).keys).toHaveLength(count);
});

test('salvageEnvironment copies selected records only, and refuses an existing directory', async () => {
  await salvageEnvironment({ from, to, format, shouldCopy: (_, key) => Buffer.from(key).toString() === 'key 5' });
  expect((await saved()).keys).toEqual(['key 5']);
  await expect(salvageEnvironment({ from, to, format })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
