import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Environment, type StoreFormat } from '../index.ts';
import { PageFile } from './page-file.ts';
import { PageWalk } from './page-walk.ts';

const format: StoreFormat = { name: 'test', version: 1, seals: { except: ['long'] } };
const pageBytes = 4096;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-pages-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Writes and removes records in many transactions, so that the file has branch pages, long values and free pages. */
async function fill(afterEach: () => void = () => {}): Promise<void> {
  const environment = await Environment.open({ directory, format });
  const [short, long] = [environment.database('short'), environment.database('long')];
  for (let round = 0; round < 60; round++) {
    await environment.transaction(() => {
      for (let index = 0; index < 40; index++) {
        const key = Buffer.from(`key ${(round * 37 + index * 11) % 700}`);
        if ((round + index) % 5 === 0) short.remove(key);
        else short.put(key, Buffer.alloc((round * index) % 300, round));
        if (index % 9 === 0) long.put(key, Buffer.alloc(3000 + 97 * round, index));
      }
    });
    afterEach();
  }
  await environment.close();
}

function walk(withLeaves: boolean) {
  const file = new PageFile(join(directory, 'data.mdb'));
  try {
    const meta = file.meta();
    const pages = new PageWalk(file, meta, { withLeaves });
    for (const _ of pages.steps());
    return { meta, databases: [...pages.databases.keys()] };
  } finally {
    file.close();
  }
}

const isRefused = () =>
  expect(Environment.open({ directory, format })).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    details: { directory },
  });

function change(edit: (file: Buffer) => void): void {
  const path = join(directory, 'data.mdb');
  const file = readFileSync(path);
  edit(file);
  writeFileSync(path, file);
}

/** Returns all pages with these flags, including pages of older snapshots. */
function pagesOf(file: Buffer, flags: number): number[] {
  const pages = Array.from({ length: file.length / pageBytes }, (_, page) => page);
  return pages.filter((page) => page > 1 && file.readUInt16LE(page * pageBytes + 18) === flags);
}

describe('page walk', () => {
  test('accepts every snapshot of LMDB, with and without leaf pages', async () => {
    await fill(() => {
      expect(walk(true)).toEqual(walk(false));
    });
    expect(walk(true).databases.sort()).toEqual(['cairn', 'long', 'short']);
  });

  test('accepts a backup and later writes to it', async () => {
    await fill();
    const environment = await Environment.open({ directory, format });
    await environment.backup(join(directory, 'copy'));
    await environment.close();
    directory = join(directory, 'copy');
    expect(walk(true).databases).toHaveLength(3);
    await fill(() => void walk(true));
    directory = join(directory, '..');
  });
});

describe('open refuses a store with', () => {
  test('a branch that refers to an older version of a page', async () => {
    await fill();
    change((file) => {
      for (const page of pagesOf(file, 1)) {
        const at = page * pageBytes;
        const node = at + 24 + file.readUInt16LE(at + 24);
        const child = file.readUInt32LE(node);
        const older = pagesOf(file, 2).find((other) => other !== child);
        file.writeUInt32LE(older ?? 2, node);
      }
    });
    await isRefused();
  });

  test.each([
    ['flags', 18, 2],
    ['lower bound', 20, 4],
    ['upper bound', 22, 8],
    ['number', 0, 1],
    ['age', 14, 1],
  ])('leaf pages with another %s', async (_, offset, bit) => {
    await fill();
    change((file) => {
      for (const page of pagesOf(file, 2)) {
        const at = page * pageBytes + offset;
        file.writeUInt8(file.readUInt8(at) ^ bit, at);
      }
    });
    await isRefused();
  });

  test('meta pages of transactions that do not follow each other', async () => {
    await fill();
    const { meta } = walk(true);
    change((file) => {
      const at = Number(meta.transaction & 1n) * pageBytes + 152;
      file.writeUInt8(file.readUInt8(at) ^ 4, at);
    });
    await isRefused();
  });
});
