import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openLmdbBillingStore } from './lmdb-billing-store.ts';
import { describeBillingStore } from './testing/index.ts';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describeBillingStore('LMDB', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-billing-'));
  directories.push(directory);
  return () => openLmdbBillingStore({ directory });
});
