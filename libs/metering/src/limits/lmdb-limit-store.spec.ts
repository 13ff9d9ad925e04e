import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

test('a process that is busy after a take does not delay the takes of another', async () => {
  const directory = newDirectory();
  const store = await openLmdbLimitStore({ directory });
  const request = { key: 'a', min: 1, want: 1, rule: { kind: 'window', limit: 10, seconds: 60 } } as const;
  // The process is busy until its input ends. It runs the built package, as applications do.
  const busy = `
    import { readSync, writeSync } from 'node:fs';
    import { openLmdbMeteringStores } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const stores = { accounts: ${JSON.stringify(newDirectory())}, limits: ${JSON.stringify(directory)} };
    const { limits } = await openLmdbMeteringStores(stores);
    for (let n = 0; n < 3; n++) void limits.take([${JSON.stringify(request)}]);
    writeSync(1, 'busy');
    readSync(0, Buffer.alloc(1));
    process.exit();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', busy], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    expect(await store.take([request])).toMatchObject([{ granted: 1, remaining: 6 }]);
  } finally {
    child.kill('SIGKILL');
    await store.close();
  }
});
