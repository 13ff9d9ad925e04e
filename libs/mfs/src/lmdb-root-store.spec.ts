import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { afterAll, expect, test } from '@jest/globals';
import { openLmdbRootStore } from './lmdb-root-store.ts';
import { describeRootStore } from './testing/index.ts';

const made: string[] = [];
const directory = () => {
  const path = mkdtempSync(join(tmpdir(), 'cairn-roots-'));
  made.push(path);
  return path;
};
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true });
});

describeRootStore('LMDB', () => openLmdbRootStore({ directory: directory() }));

test('keeps roots when it is opened again', async () => {
  const home = directory();
  const root = { cid: cidFor(Buffer.from('root'), { codec: 'raw' }), bytes: 4 };
  const store = await openLmdbRootStore({ directory: home });
  await store.swap('ann', undefined, root);
  await store.close();
  const again = await openLmdbRootStore({ directory: home });
  expect((await again.get('ann'))?.cid.toString()).toBe(root.cid.toString());
  await again.close();
});
