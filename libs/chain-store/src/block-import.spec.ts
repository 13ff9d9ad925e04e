import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BlockImport } from './block-import.ts';
import { type MadeChain, makeChain, temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, openChainStore } from './index.ts';
import { importChain, referenceRunner } from './reference-import.fixture.ts';

let chain: MadeChain;
let directory: ReturnType<typeof temporaryDirectory>;
let store: ChainStore;

beforeAll(async () => {
  chain = await makeChain([[{ kind: 'create', child: 0 }], [], [{ kind: 'create', child: 1 }], []]);
});
beforeEach(async () => {
  directory = temporaryDirectory();
  store = await openChainStore({ directory: `${directory.path}/store` });
  await importChain({ store, name: 'made', genesis: directory.write('genesis.json', chain.genesis), files: [] });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

async function importOf(count: number): Promise<BlockImport> {
  const { spec } = store;
  if (!spec) throw new Error('no genesis');
  const target = BlockImport.open(store, spec, referenceRunner);
  for (const raw of chain.blocks.slice(0, count)) await target.add(raw);
  return target;
}

describe('BlockImport', () => {
  test('writes no block before flush', async () => {
    const target = await importOf(3);
    expect(store.head.number).toBe(0n);
    await target.flush();
    expect(store.head).toEqual({ hash: chain.hashes[2], number: 3n });
    expect(target.blocks).toBe(3);
  });

  test('keeps the head of another import that is ahead', async () => {
    const [slow, fast] = [await importOf(2), await importOf(4)];
    await fast.flush();
    await slow.flush();
    expect(store.head).toEqual({ hash: chain.hashes[3], number: 4n });
    expect([slow.blocks, slow.gas]).toEqual([0, 0n]);
  });

  test('adds the missing blocks when another import has written some of them', async () => {
    const [slow, fast] = [await importOf(4), await importOf(2)];
    await fast.flush();
    await slow.flush();
    expect(store.head).toEqual({ hash: chain.hashes[3], number: 4n });
    expect(slow.blocks).toBe(2);
  });
});
