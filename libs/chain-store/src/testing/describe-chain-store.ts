import {
  type BlockRunner,
  bytesFromHex,
  type ChainReader,
  type Hex,
  hexFromBytes,
  keccak256,
} from '@cairn/block-model';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChainStore } from '../chain-store.ts';
import { creditBlock, credited, creditGenesis, creditRunner, topicOf } from './credit-chain.ts';

/** A chain reader with a choice of branches. */
export type TestedChainStore = ChainReader & Pick<ChainStore, 'headOrNone' | 'setForkChoice' | 'close'>;

/** An empty store under test. */
export interface ChainStoreUnderTest {
  /** Opens a handle. Each handle stands for one process. */
  readonly open: () => Promise<TestedChainStore>;
  /** Imports the genesis, a file in geth's format, and then blocks in RLP. Called with one block at a time. */
  readonly add: (genesis: object, blocks: readonly Uint8Array[], runner: BlockRunner) => Promise<void>;
}

const absent: Hex = `0x${'ab'.repeat(32)}`;

/** Contract suite of every chain store. @param create creates an empty store */
export function describeChainStore(name: string, create: () => Promise<ChainStoreUnderTest>): void {
  describe(`${name} as a chain store`, () => {
    let subject: ChainStoreUnderTest;
    let handles: TestedChainStore[];
    let store: TestedChainStore;
    const open = async () => {
      const handle = await subject.open();
      handles.push(handle);
      return handle;
    };
    beforeEach(async () => {
      handles = [];
      subject = await create();
      store = await open();
    });
    afterEach(async () => {
      for (const handle of handles) await handle.close();
    });

    const head = () => store.blockByTag('latest');
    async function add(parent: Hex, gwei: bigint) {
      const block = await creditBlock(store, parent, gwei);
      await subject.add(creditGenesis, [block.raw], creditRunner);
      return block;
    }
    async function fill() {
      await subject.add(creditGenesis, [], creditRunner);
      const first = await add(store.genesisHash, 1n);
      return { first, second: await add(first.hash, 2n) };
    }
    const balanceAt = (hash: Hex, from = store) => from.stateAt(hash)?.getAccount(bytesFromHex(credited))?.balance;

    test('an empty store has no head and no blocks', () => {
      expect(store.headOrNone).toBeUndefined();
      expect(store.hashByNumber(0n)).toBeUndefined();
      expect(store.block(absent)).toBeUndefined();
      expect(() => store.blockByTag('latest')).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
    });

    test('blocks are found by hash, height and tag', async () => {
      const { first, second } = await fill();
      expect(store.chainId).toBe(4242n);
      expect(store.block(first.hash)?.header.number).toBe(1n);
      expect(store.block(first.hash)?.transactions.map(({ hash }) => hash)).toEqual([first.transaction]);
      expect(store.hashByNumber(1n)).toBe(first.hash);
      expect(store.blockByTag('earliest')).toEqual({ hash: store.genesisHash, number: 0n });
      for (const tag of ['latest', 'pending', 'safe', 'finalized'] as const)
        expect(store.blockByTag(tag)).toEqual({ hash: second.hash, number: 2n });
      expect(store.isCanonical(first.hash)).toBe(true);
      expect(store.totalDifficulty(first.hash)).toBe(0n);
    });

    test('unknown hashes and heights return undefined', async () => {
      await fill();
      const { header, block, receipts, stateAt, stateRoots, totalDifficulty, transactionPlace } = readsOf(store);
      for (const read of [header, block, receipts, stateAt, stateRoots, totalDifficulty, transactionPlace])
        expect(read(absent)).toBeUndefined();
      expect(store.proof(absent, bytesFromHex(credited), [])).toBeUndefined();
      expect(store.isCanonical(absent)).toBe(false);
      for (const number of [-1n, 3n, 2n ** 64n]) expect(store.hashByNumber(number)).toBeUndefined();
    });

    test('receipts, transactions and logs are found', async () => {
      const { first, second } = await fill();
      expect(store.receipts(second.hash)?.[0]?.logs[0]?.topics).toEqual([topicOf(2n)]);
      expect(store.transactionPlace(first.transaction)).toEqual({ blockHash: first.hash, index: 0 });
      const range = { from: 0n, to: 9n };
      expect(store.heightsWithLogs([{ field: 'address', values: [credited] }], range)).toEqual([1n, 2n]);
      expect(store.heightsWithLogs([{ field: 0, values: [topicOf(2n), absent] }], range)).toEqual([2n]);
    });

    test('the state after every block stays readable', async () => {
      const { first, second } = await fill();
      expect(balanceAt(store.genesisHash)).toBeUndefined();
      expect([balanceAt(first.hash), balanceAt(second.hash)]).toEqual([1_000_000_000n, 3_000_000_000n]);
    });

    test('a proof starts at the state root of its block', async () => {
      const { second } = await fill();
      const proof = store.proof(second.hash, bytesFromHex(credited), [new Uint8Array(32)]);
      const [root = new Uint8Array(0)] = proof?.accountNodes ?? [];
      expect(hexFromBytes(keccak256(root))).toBe(store.header(second.hash)?.stateRoot);
      expect(proof?.account?.balance).toBe(3_000_000_000n);
      expect(proof?.slots[0]?.value).toHaveLength(0);
    });

    test('setForkChoice reorgs to a branch of equal weight, and both states stay readable', async () => {
      const { first, second } = await fill();
      const other = await add(first.hash, 7n);
      expect(head().hash).toBe(second.hash);
      const place = { blockHash: second.hash, index: 0 };
      expect(store.transactionPlace(second.transaction)).toEqual(place);
      const { generation } = store;
      await store.setForkChoice({ head: other.hash });
      expect(head()).toEqual({ hash: other.hash, number: 2n });
      expect(store.generation).toBeGreaterThan(generation);
      expect([balanceAt(second.hash), balanceAt(other.hash)]).toEqual([3_000_000_000n, 8_000_000_000n]);
      expect(store.transactionPlace(second.transaction)).toBeUndefined();
      expect(store.heightsWithLogs([{ field: 0, values: [topicOf(2n)] }], { from: 0n, to: 9n })).toEqual([]);
      expect(store.isCanonical(second.hash)).toBe(false);
      expect(store.transactionPlace(other.transaction)).toEqual({ blockHash: other.hash, index: 0 });
      await store.setForkChoice({ head: second.hash });
      expect(store.transactionPlace(second.transaction)).toEqual(place);
      expect(store.transactionPlace(other.transaction)).toBeUndefined();
    });

    test('a longer branch of equal difficulty becomes the chain', async () => {
      const { first } = await fill();
      const other = await add(first.hash, 7n);
      const longer = await add(other.hash, 8n);
      expect(head()).toEqual({ hash: longer.hash, number: 3n });
      expect(store.hashByNumber(2n)).toBe(other.hash);
    });

    test('setForkChoice sets safe and finalized blocks, and refuses a head that excludes the finalized block', async () => {
      const { first, second } = await fill();
      const other = await add(first.hash, 7n);
      await store.setForkChoice({ safe: second.hash, finalized: second.hash });
      expect(store.blockByTag('finalized').hash).toBe(second.hash);
      await expect(store.setForkChoice({ head: other.hash })).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
      await expect(store.setForkChoice({ finalized: absent })).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
      expect(head().hash).toBe(second.hash);
    });

    test('other handles see each import, and a new handle sees the same chain', async () => {
      const reader = await open();
      expect(reader.headOrNone).toBeUndefined();
      const { second } = await fill();
      for (const handle of [reader, await open()]) {
        expect(handle.headOrNone).toEqual({ hash: second.hash, number: 2n });
        expect(balanceAt(second.hash, handle)).toBe(3_000_000_000n);
      }
    });
  });
}

function readsOf(store: TestedChainStore) {
  return {
    header: (hash: Hex) => store.header(hash),
    block: (hash: Hex) => store.block(hash),
    receipts: (hash: Hex) => store.receipts(hash),
    stateAt: (hash: Hex) => store.stateAt(hash),
    stateRoots: (hash: Hex) => store.stateRoots(hash),
    totalDifficulty: (hash: Hex) => store.totalDifficulty(hash),
    transactionPlace: (hash: Hex) => store.transactionPlace(hash),
  };
}
