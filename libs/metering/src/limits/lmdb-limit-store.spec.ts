import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { describeLimitStore } from '../testing/describe-limit-store.ts';
import { openLmdbLimitStore } from './lmdb-limit-store.ts';

const directory = temporaryDirectories();

describeLimitStore('LMDB', ({ now }) => openLmdbLimitStore({ directory: directory(), now }));

test('counters of another boot are not looked at, and cleared away', async () => {
  const home = directory();
  const old = join(home, 'boot-of-yesterday');
  mkdirSync(old);
  await (await openLmdbLimitStore({ directory: home })).close();
  expect(existsSync(old)).toBe(false);
});
