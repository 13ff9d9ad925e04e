import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openLmdbRootStore } from './lmdb-root-store.ts';
import { describeRootStore } from './testing/index.ts';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describeRootStore('LMDB', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-roots-'));
  directories.push(directory);
  return () => openLmdbRootStore({ directory });
});
