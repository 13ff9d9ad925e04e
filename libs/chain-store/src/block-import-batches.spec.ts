import type { Hex } from '@cairn/block-model';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BlockImport } from './block-import.ts';
import { temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, importChain, openChainStore } from './index.ts';
import { creditBlock, creditGenesis, creditRunner } from './testing/credit-chain.ts';

/** Two commits of 64 and 128 blocks begin before the last block. */
const blockCount = 200;
const blocks: Uint8Array[] = [];
const hashes: Hex[] = [];
let directory: ReturnType<typeof temporaryDirectory>;
let store: ChainStore;

async function openStore(name: string): Promise<ChainStore> {
  const opened = await openChainStore({ directory: `${directory.path}/${name}` });
  const genesis = directory.write('genesis.json', creditGenesis);
  await importChain({ store: opened, name: 'credits', genesis, files: [], runner: creditRunner });
  return opened;
}

function importInto(target: ChainStore): BlockImport {
  if (!target.spec) throw new Error('The store has no genesis.');
  return BlockImport.open(target, target.spec, creditRunner);
}

beforeAll(async () => {
  directory = temporaryDirectory();
  const maker = await openStore('maker');
  const made = importInto(maker);
  for (let count = 1; count <= blockCount; count++) {
    const { raw, hash } = await creditBlock(maker, maker.head.hash, BigInt(count));
    await made.add(raw);
    await made.flush();
    blocks.push(raw);
    hashes.push(hash);
  }
  await maker.close();
  directory.remove();
});
beforeEach(async () => {
  directory = temporaryDirectory();
  store = await openStore('store');
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

describe('BlockImport with several commits', () => {
  test('stores each block and its state, as an import with one commit for each block does', async () => {
    const target = importInto(store);
    for (const raw of blocks) await target.add(raw);
    expect(store.head.number).toBeGreaterThanOrEqual(64n);
    await target.flush();
    expect(store.head).toEqual({ hash: hashes.at(-1), number: BigInt(blockCount) });
    expect(target.blocks).toBe(blockCount);
    for (const [index, hash] of hashes.entries()) {
      expect(store.hashByNumber(BigInt(index + 1))).toBe(hash);
      expect(store.block(hash)?.header.hash).toBe(hash);
    }
    const half = store.stateAt(hashes[99] ?? '0x');
    expect(half?.getAccount(Buffer.alloc(20, 0xc4))?.balance).toBe(5_050n * 10n ** 9n);
  });

  test('a block that is refused leaves no commit in progress, and the blocks before it can be committed', async () => {
    const target = importInto(store);
    for (const raw of blocks.slice(0, 100)) await target.add(raw);
    await expect(target.add(blocks[150] ?? new Uint8Array(0))).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
    expect(store.head.number).toBe(100n);
    await target.flush();
    expect(store.head).toEqual({ hash: hashes[99], number: 100n });
  });

  test('a failed commit is reported, and no later block is written', async () => {
    const { environment } = store.tables;
    const transaction = environment.transaction.bind(environment);
    let commits = 0;
    environment.transaction = (action) =>
      ++commits === 2 ? Promise.reject(new Error('The disk is full.')) : transaction(action);
    const target = importInto(store);
    const all = async () => {
      for (const raw of blocks) await target.add(raw);
      await target.flush();
    };
    await expect(all()).rejects.toThrow('The disk is full.');
    await expect(target.flush()).rejects.toThrow('The disk is full.');
    expect(store.head.number).toBe(64n);
  });

  test('settle drops the blocks that are not in a commit', async () => {
    const target = importInto(store);
    for (const raw of blocks.slice(0, 70)) await target.add(raw);
    await target.settle();
    expect(store.head.number).toBe(64n);
  });
});
