import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openStores, restoreDirectories } from './index.ts';

test.each(Object.values(restoreDirectories))('openStores refuses a home with the directory %s', (name) => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-restored-'));
  openStores({ CAIRN_HOME: home });
  mkdirSync(join(home, name));
  expect(() => openStores({ CAIRN_HOME: home })).toThrow(expect.objectContaining({ code: 'HOME_INCOMPLETE' }));
  // With a database, the home has no state.
  openStores({ CAIRN_HOME: home, CAIRN_DATABASE_URL: 'postgres://127.0.0.1:9/none' });
  rmSync(home, { recursive: true });
});
