import {
  type Block,
  type ChainSpec,
  encodeBlock,
  type Header,
  type Hex,
  makeHeader,
  type Transaction,
  unsignedTransaction,
  verifyReceipts,
  withdrawalsRoot,
} from '@cairn/block-model';
import { hasConformanceCases, type MemoryAccount } from '@cairn/block-model/testing';
import { compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../engine/create-engine.ts';
import { readRecordedChain } from '../recorded-chain.fixture.ts';
import { specAt, type TestFork, testHeader } from '../test-chain.fixture.ts';
import { createBlockRunner } from './block-runner.ts';
import { TrieState } from './trie-state.fixture.ts';

const title = hasConformanceCases
  ? 'a chain through every fork'
  : 'a chain through every fork (skipped: ../shared/conformance is not here)';
const testHere = hasConformanceCases ? test : test.skip;
/** Reference engine that fails, so that the test covers the engine under test only. */
const alone = createCompiledEngine(
  { name: 'none', run: () => Promise.reject(new Error('A message was left to another engine.')) },
  { ...compileLimits, callsMin: 1, callsMax: 1, bytesPerCall: Number.POSITIVE_INFINITY },
);

describe(title, () => {
  testHere.each([
    ['compiled', alone],
    ['interpreter', createEngine('interpreter')],
  ])('yields the gas, receipts, requests and state roots of its headers: %s', async (_, engine) => {
    const { spec, blocks, genesis } = readRecordedChain();
    const runner = createBlockRunner(engine);
    const state = await TrieState.of(genesis);
    const hashes = new Map<bigint, Hex>();
    let parent: Header | undefined;
    for (const block of blocks) {
      const { header } = block;
      hashes.set(header.number - 1n, header.parentHash);
      const { receipts, stateRoot, requestsHash } = await runner.run({
        spec,
        block,
        parent: parent ?? header,
        state: state.view(),
        roots: state,
        blockHashes: (number) => hashes.get(number),
      });
      verifyReceipts(header, receipts);
      expect([header.number, { stateRoot, requestsHash }]).toEqual([
        header.number,
        { stateRoot: header.stateRoot, requestsHash: header.requestsHash },
      ]);
      parent = header;
    }
    expect(parent?.number).toBe(54n);
  });
});

const sender: Hex = `0x${'5e'.repeat(20)}`;
const to: Hex = `0x${'70'.repeat(20)}`;
const accounts: Readonly<Record<Hex, MemoryAccount>> = { [sender]: { balance: 10n ** 18n, nonce: 3n } };
const transfer = { type: 0, nonce: 3n, gas: 21_000n, gasPrice: 7n, to, value: 1n, input: '0x' } as const;
const blobHash: Hex = `0x01${'00'.repeat(31)}`;

interface Attempt {
  readonly fork?: TestFork;
  readonly transactions: readonly Transaction[];
  readonly header?: Partial<Header>;
  readonly accounts?: Readonly<Record<Hex, MemoryAccount>>;
}

const unsigned = (fields: Partial<Transaction>): Transaction =>
  unsignedTransaction(sender, { ...transfer, ...fields } as Transaction);

async function attempt({ fork = 'osaka', transactions, header = {}, accounts: given = accounts }: Attempt) {
  const spec: ChainSpec = specAt(fork);
  const { hash, raw, ...fields } = testHeader;
  const block: Omit<Block, 'size'> = {
    header: makeHeader({ ...fields, withdrawalsRoot: withdrawalsRoot([]), parentBeaconBlockRoot: hash, ...header }),
    transactions: [...transactions],
    uncles: [],
    withdrawals: [],
  };
  const state = await TrieState.of(given);
  return createBlockRunner('interpreter').run({
    spec,
    block: { ...block, size: encodeBlock(block).length },
    parent: testHeader,
    state: state.view(),
    roots: state,
    blockHashes: () => undefined,
  });
}

describe('an invalid transaction', () => {
  const dynamicFee = {
    type: 2,
    gasPrice: undefined,
    chainId: 1337n,
    accessList: [],
    maxPriorityFeePerGas: 0n,
  } as const;
  const blob = {
    ...dynamicFee,
    type: 3,
    maxFeePerGas: 7n,
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: [blobHash],
  } as const;
  const blobs = (count: number) => Array.from({ length: count }, () => blobHash);
  const code = { ...accounts, [sender]: { ...accounts[sender], code: '0x00' } } as const;
  test.each<[string, RegExp, Attempt]>([
    ['a used nonce', /nonce too low/, { transactions: [unsigned({ nonce: 2n })] }],
    ['a future nonce', /nonce too high/, { transactions: [unsigned({ nonce: 4n })] }],
    ['the same transaction twice', /nonce too low/, { transactions: [unsigned({}), unsigned({})] }],
    ['no funds', /insufficient funds/, { transactions: [unsigned({ value: 10n ** 18n })] }],
    ['too little gas', /intrinsic gas too low/, { transactions: [unsigned({ gas: 20_999n })] }],
    [
      'a fee below the base fee',
      /max fee per gas less than block base fee/,
      { transactions: [unsigned({ gasPrice: 6n })] },
    ],
    ['no fee', /max fee per gas less than block base fee/, { transactions: [unsigned({ gasPrice: 0n })] }],
    [
      'more gas than the block has left',
      /gas limit reached/,
      { transactions: [unsigned({}), unsigned({ nonce: 4n })], header: { gasLimit: 41_999n } },
    ],
    [
      'more gas than the limit of a transaction',
      /transaction gas limit too high \(cap: 16777216, tx: 16777217\)/,
      { transactions: [unsigned({ gas: 16_777_217n })] },
    ],
    ['a sender with code', /sender not an eoa/, { transactions: [unsigned({})], accounts: code }],
    ['another chain', /it is for chain 1, not 1337/, { transactions: [unsigned({ chainId: 1n })] }],
    [
      'a chain before EIP-155',
      /it is for chain 1337, not 1337/,
      { fork: 'homestead', transactions: [unsigned({ chainId: 1337n })] },
    ],
    [
      'a type of a later fork',
      /its type 2 is not allowed in berlin/,
      { fork: 'berlin', transactions: [unsigned({ ...dynamicFee, maxFeePerGas: 7n } as Partial<Transaction>)] },
    ],
    [
      'an empty list of blobs',
      /blob transaction missing blob hashes/,
      { transactions: [unsigned({ ...blob, blobVersionedHashes: [] } as Partial<Transaction>)] },
    ],
    [
      'more blobs than the limit of a transaction',
      /blob transaction has too many blobs/,
      { transactions: [unsigned({ ...blob, blobVersionedHashes: blobs(7) } as Partial<Transaction>)] },
    ],
    [
      'more blobs than the limit of the block',
      /blob gas limit reached: 10 blobs, 9 left/,
      { fork: 'prague', transactions: [unsigned({ ...blob, blobVersionedHashes: blobs(10) } as Partial<Transaction>)] },
    ],
    [
      'no fee for blob gas',
      /max fee per blob gas less than block blob gas fee/,
      { transactions: [unsigned({ ...blob, maxFeePerBlobGas: 0n } as Partial<Transaction>)] },
    ],
    [
      'blobs that the header does not count',
      /its blobGasUsed is 0, its transactions use 131072/,
      { transactions: [unsigned(blob as Partial<Transaction>)] },
    ],
  ])('with %s is refused', async (_, reason, given) => {
    await expect(attempt(given)).rejects.toThrow(reason);
  });

  test('a valid transaction is executed', async () => {
    const { receipts } = await attempt({
      transactions: [unsigned({}), unsigned({ ...blob, nonce: 4n } as Partial<Transaction>)],
      header: { blobGasUsed: 131_072n },
    });
    expect(receipts.map(({ status, cumulativeGasUsed }) => [status, cumulativeGasUsed])).toEqual([
      [true, 21_000n],
      [true, 42_000n],
    ]);
  });
});

test('rewards go to the miners of the block and of at most two uncles', async () => {
  const uncle = { ...testHeader, number: 98n, miner: to };
  const { hash, raw, baseFeePerGas, blobGasUsed, excessBlobGas, ...fields } = testHeader;
  const header = makeHeader({ ...fields, difficulty: 1n });
  const run = async (uncles: readonly Header[]) => {
    const state = await TrieState.of({});
    const block: Block = { header, transactions: [], uncles: [...uncles], size: 0 };
    const given = { spec: specAt('berlin'), block, parent: testHeader, roots: state, blockHashes: () => undefined };
    await createBlockRunner('interpreter').run({ ...given, state: state.view() });
    return [header.miner, to].map((address) => state.view().getAccount(Buffer.from(address.slice(2), 'hex'))?.balance);
  };
  expect(await run([])).toEqual([2n * 10n ** 18n, undefined]);
  expect(await run([uncle])).toEqual([(2n * 10n ** 18n * 33n) / 32n, (2n * 10n ** 18n * 6n) / 8n]);
  await expect(run([uncle, uncle, uncle])).rejects.toThrow('it has 3 uncles, more than 2');
});
