import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { describeLimitStore } from '../testing/describe-limit-store.ts';
import { openLmdbLimitStore } from './lmdb-limit-store.ts';

const newDirectory = temporaryDirectories();

describeLimitStore('LMDB', async ({ now }) => {
  const directory = newDirectory();
  return () => openLmdbLimitStore({ directory, now });
});

test('openLmdbLimitStore removes the counters of an earlier boot', async () => {
  const home = newDirectory();
  const old = join(home, 'boot-of-yesterday');
  mkdirSync(old);
  await (await openLmdbLimitStore({ directory: home })).close();
  expect(existsSync(old)).toBe(false);
});
