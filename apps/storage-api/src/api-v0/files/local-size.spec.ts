import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { importDirectory } from '@cairn/unixfs';
import { expect, test } from '@jest/globals';
import { localSize } from './local-size.ts';

const { signal } = new AbortController();

test('localSize counts a block for each link, reads it once, and skips a missing one', async () => {
  const store = createMemoryBlockstore();
  let { cid, dagSize } = await importDirectory([], store);
  for (let depth = 0; depth < 40; depth++)
    ({ cid, dagSize } = await importDirectory(
      ['a', 'b'].map((name) => ({ name, cid, tsize: dagSize })),
      store,
    ));
  let reads = 0;
  const counting: Pick<typeof store, 'get' | 'has' | 'size'> = {
    has: (name) => store.has(name),
    size: (name) => store.size(name),
    get: async (name, options) => {
      reads++;
      return await store.get(name, options);
    },
  };
  expect(await localSize(counting, cid, signal)).toEqual({ bytes: dagSize, isWhole: true });
  expect(reads).toBe(41);
  const missing = cidFor(Buffer.from('missing'), { codec: 'raw' });
  const partly = await importDirectory(
    [
      { name: 'a', cid, tsize: dagSize },
      { name: 'b', cid: missing, tsize: 7 },
    ],
    store,
  );
  expect(await localSize(store, partly.cid, signal)).toEqual({ bytes: partly.dagSize - 7, isWhole: false });
});
