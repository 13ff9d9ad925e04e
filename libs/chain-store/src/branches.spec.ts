import { decodeBlock, type Hex } from '@cairn/block-model';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { historyIn, type MadeChain, makeChain, type Step, step, temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

let count = 0;
async function withStore(use: (store: ChainStore) => Promise<void>): Promise<void> {
  const store = await openChainStore({ directory: `${directory.path}/store-${count++}` });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

function importInto(store: ChainStore, { genesis, blocks }: Pick<MadeChain, 'genesis' | 'blocks'>): Promise<number> {
  const files = [directory.write(`chain-${count++}.rlp`, Buffer.concat(blocks))];
  return importChain({ store, name: 'made', genesis: directory.write('genesis.json', genesis), files });
}

/** Expects the canonical chain of a store to be `chain`: heights, head, transaction places and logs. */
function expectChain(store: ChainStore, chain: MadeChain): void {
  expect(store.head).toEqual({ hash: chain.hashes.at(-1) ?? store.genesisHash, number: BigInt(chain.hashes.length) });
  expect(chain.hashes.map((_, index) => store.hashByNumber(BigInt(index + 1)))).toEqual(chain.hashes);
  expect(store.hashByNumber(BigInt(chain.hashes.length + 1))).toBeUndefined();
  for (const [height, raw] of chain.blocks.entries()) {
    for (const [index, { hash }] of decodeBlock(raw).transactions.entries())
      expect(store.transactionPlace(hash)).toEqual({ blockHash: chain.hashes[height], index });
  }
  const range = { from: 0n, to: 1_000n };
  for (const address of chain.addresses) {
    const heights = chain.hashes.flatMap((hash, index) =>
      store.receipts(hash as Hex)?.some(({ logs }) => logs.some((log) => log.address === address))
        ? [BigInt(index + 1)]
        : [],
    );
    expect(store.heightsWithLogs([{ field: 'address', values: [address as Hex] }], range)).toEqual(heights);
  }
}

const steps = (maxLength: number) => fc.array(step, { maxLength });
const plan = (maxLength: number, minLength = 0) => fc.array(steps(3), { minLength, maxLength });

describe('branches', () => {
  test('the longest branch is the chain, and the state of every branch stays readable', async () => {
    await fc.assert(
      fc.asyncProperty(plan(3), plan(3, 1), plan(4, 1), plan(2), async (trunk, left, right, more) => {
        const one = await makeChain([...trunk, ...left]);
        const other = await makeChain([...trunk, ...right]);
        const longer = await makeChain([...trunk, ...left, ...right, ...more]);
        await withStore(async (store) => {
          await importInto(store, one);
          await importInto(store, other);
          expectChain(store, right.length > left.length ? other : one);
          for (const chain of [one, other]) expect(historyIn(store, chain)).toEqual(chain.history);
          await importInto(store, longer);
          expectChain(store, longer);
          for (const chain of [one, other, longer]) expect(historyIn(store, chain)).toEqual(chain.history);
        });
      }),
      { numRuns: 15 },
    );
  });

  const write = (value: number): Step[] => [{ kind: 'write', child: 0, slot: 1, value }];
  const trunk: Step[][] = [[{ kind: 'create', child: 0 }], write(1)];

  test('setForkChoice selects a head but never leaves the finalized block', async () => {
    const one = await makeChain([...trunk, write(2), write(3)]);
    const other = await makeChain([...trunk, write(4)]);
    await withStore(async (store) => {
      await importInto(store, one);
      await importInto(store, other);
      expectChain(store, one);
      const [, , third] = other.hashes;
      const before = store.generation;
      await store.setForkChoice({ head: third as Hex });
      expectChain(store, other);
      expect(store.generation).toBe(before + 1n);
      await store.setForkChoice({ safe: other.hashes[1] as Hex, finalized: other.hashes[0] as Hex });
      expect(store.blockByTag('safe')).toEqual({ hash: other.hashes[1], number: 2n });
      expect(store.blockByTag('finalized')).toEqual({ hash: other.hashes[0], number: 1n });
      await store.setForkChoice({ finalized: third as Hex });
      await expect(store.setForkChoice({ head: one.hashes[3] as Hex })).rejects.toMatchObject({
        code: 'BLOCK_REFUSED',
        message: expect.stringContaining('below the finalized block 3'),
      });
      expectChain(store, other);
      await expect(store.setForkChoice({ safe: one.hashes[3] as Hex })).rejects.toThrow(/canonical/);
      const late = await makeChain([...trunk, write(5)]);
      await expect(importInto(store, late)).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
    });
  });

  test('a block without a stored parent is refused with the end of the chain', async () => {
    const one = await makeChain([...trunk, write(2)]);
    await withStore(async (store) => {
      await expect(importInto(store, { ...one, blocks: one.blocks.slice(1) })).rejects.toMatchObject({
        code: 'BLOCK_REFUSED',
        message: expect.stringMatching(/^Block 2 .*its parent 0x.* is not stored; the chain ends at block 0/),
      });
    });
  });

  test('a block of a branch with a wrong state root does not change the chain', async () => {
    const one = await makeChain([...trunk, write(2)]);
    const other = await makeChain([...trunk, write(3), write(4)]);
    await withStore(async (store) => {
      await importInto(store, one);
      const broken = other.blocks.map((raw) => Uint8Array.from(raw));
      const last = broken.at(-1) ?? new Uint8Array(0);
      // This byte is inside the state root.
      last[130] = (last[130] ?? 0) ^ 1;
      await expect(importInto(store, { ...other, blocks: broken })).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
      expectChain(store, one);
    });
  });
});
