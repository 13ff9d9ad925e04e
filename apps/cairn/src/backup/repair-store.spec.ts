import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { repairStore } from './repair-store.ts';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cairn-repair-'));
  await (await openLmdbBlockstore({ directory: join(home, 'blocks') })).close();
});
afterEach(() => rmSync(home, { recursive: true }));

test('repairStore removes its incomplete copy when it fails, and its error names the copy', async () => {
  const path = join(home, 'blocks', 'data.mdb');
  const broken = readFileSync(path).fill(0);
  writeFileSync(path, broken);
  const copy = join(home, 'blocks.repaired');
  await expect(repairStore(home, 'blocks')).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining(`The incomplete copy ${copy} was removed.`),
    hint: expect.any(String),
  });
  expect(readdirSync(home)).toEqual(['blocks']);
  expect(readFileSync(path).equals(broken)).toBe(true);
});
