import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openLmdbAccountStore } from './lmdb-account-store.ts';
import { describeAccountStore, describeMemberStore, describeMemberTokenStore } from './testing/index.ts';

const directories: string[] = [];
async function createStore() {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-accounts-'));
  directories.push(directory);
  return () => openLmdbAccountStore({ directory });
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

describeAccountStore('LMDB', createStore);
describeMemberStore('LMDB', createStore);
describeMemberTokenStore('LMDB', createStore);
