import { describe, expect, test } from '@jest/globals';
import {
  blockFromJson,
  blockToJson,
  bytesFromHex,
  decodeReceipt,
  decodeTransaction,
  encodeReceipt,
  forkAt,
  forkSchedule,
  type Hex,
  type Json,
  logsBloomOf,
  nextBaseFee,
  opChainSpec,
  type Receipt,
  receiptsRoot,
  receiptToJson,
  senderOf,
  transactionsRoot,
  transactionToJson,
  verifyBlock,
  verifyReceipts,
} from '../index.ts';
import { fastLzLength } from './fastlz-length.ts';
import {
  baseGoerliBlock,
  fjordTransactions,
  goerliBlock,
  goerliDeposit,
  unichainBlock,
  unichainReceipts,
} from './op-blocks.fixture.ts';

const optimism = opChainSpec('optimism', 10n);
const base = opChainSpec('base', 8453n);
if (optimism === undefined || base === undefined) throw new Error('a known chain is missing');

const receipts: Receipt[] = unichainReceipts.map(({ type, cumulativeGasUsed, logs, ...rest }) => {
  const own = logs.map((log) => log as { address: Hex; topics: Hex[]; data: Hex });
  return {
    type: Number(type),
    status: true,
    cumulativeGasUsed: BigInt(cumulativeGasUsed),
    logs: own,
    logsBloom: logsBloomOf(own),
    ...('depositNonce' in rest && { depositNonce: BigInt(rest.depositNonce ?? 0), depositReceiptVersion: 1n }),
  };
});

describe('blocks', () => {
  test.each([
    ['Base Goerli 7,542 (Bedrock)', baseGoerliBlock],
    ['Unichain Sepolia 35,535,698 (Isthmus)', unichainBlock],
  ])('%s has its hash and transactions root', (_, json) => {
    const block = blockFromJson(json as Json);
    verifyBlock(block, json.hash as Hex);
    expect(block.size).toBe(Number(json.size));
    expect(block.transactions.map(({ hash }) => hash)).toEqual(json.transactions.map(({ hash }) => hash));
    expect(block.transactions.map(senderOf)).toEqual(json.transactions.map(({ from }) => from));
  });

  test('OP Goerli 14,931,416 (Canyon) has its hash with the transaction of its payload', () => {
    const deposit = decodeTransaction(bytesFromHex(goerliDeposit));
    const json = { ...goerliBlock, transactionsRoot: transactionsRoot([deposit]) };
    const block = blockFromJson({ ...json, transactions: [transactionToJson(deposit, placeless)] });
    verifyBlock(block, goerliBlock.hash as Hex);
    expect(block.transactions[0]?.raw).toEqual(bytesFromHex(goerliDeposit));
  });

  test('JSON of a deposit is that of the node', () => {
    const block = blockFromJson(unichainBlock as Json);
    const { transactions } = blockToJson(block, { full: true, receipts });
    const { blockTimestamp, ...deposit } = (transactions as Record<string, unknown>[])[0] as Record<string, unknown>;
    expect(deposit).toEqual(unichainBlock.transactions[0]);
    expect(blockTimestamp).toBe(unichainBlock.timestamp);
  });

  test('a withdrawals root that matches no withdrawals is refused on a chain without deposits', () => {
    const { transactions, ...json } = unichainBlock;
    const own = transactions.slice(1);
    const root = transactionsRoot(blockFromJson({ ...json, transactions: own }).transactions);
    const block = blockFromJson({ ...json, transactions: own, transactionsRoot: root });
    expect(() => verifyBlock(block)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
  });

  test.each([
    ['mint', { mint: '0x1' }],
    ['sourceHash', { sourceHash: `0x${'00'.repeat(32)}` }],
    ['isSystemTx', { isSystemTx: true }],
    ['from', { from: `0x${'01'.repeat(20)}` }],
  ])('a block with another %s of a deposit is refused', (_, change) => {
    const [deposit, ...rest] = unichainBlock.transactions;
    const json = { ...unichainBlock, transactions: [{ ...deposit, ...change }, ...rest] };
    expect(() => verifyBlock(blockFromJson(json as Json))).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
  });

  test('a deposit with a flag of another value is refused', () => {
    const raw = bytesFromHex(goerliDeposit);
    raw[raw.length - 264] = 2;
    expect(() => decodeTransaction(raw)).toThrow('isSystemTx');
  });
});

const placeless = { header: blockFromJson({ ...unichainBlock } as Json).header, index: 0 };

describe('receipts', () => {
  test('receipts of Unichain Sepolia 35,535,698 have the receipts root', () => {
    const { header } = blockFromJson(unichainBlock as Json);
    verifyReceipts(header, receipts);
    expect(receipts.map((receipt) => decodeReceipt(encodeReceipt(receipt)))).toEqual(receipts);
  });

  const plain = (type: number, cumulativeGasUsed: bigint): Receipt => ({
    type,
    status: true,
    cumulativeGasUsed,
    logsBloom: goerliBlock.logsBloom as Hex,
    logs: [],
  });

  // Nonce 14,931,415 and 106,719 gas are not recorded. They are the only values with the recorded receipts roots.
  test('receipts of OP Goerli 14,931,416 (Canyon) and Base Goerli 7,542 (Bedrock) have the receipts root', () => {
    const canyon = { ...plain(126, 46_853n), depositNonce: 14_931_415n, depositReceiptVersion: 1n };
    expect(receiptsRoot([canyon])).toBe(goerliBlock.receiptsRoot);
    expect(receiptsRoot([plain(126, 0n), plain(2, 106_719n), plain(2, 150_123n)])).toBe(baseGoerliBlock.receiptsRoot);
  });

  test('before Canyon the nonce of a deposit is not part of its receipt', () => {
    const [deposit] = receipts;
    const { depositNonce: _, depositReceiptVersion: __, ...bedrock } = deposit as Receipt;
    expect(encodeReceipt({ ...bedrock, depositNonce: 9n })).toEqual(encodeReceipt(bedrock));
    expect(decodeReceipt(encodeReceipt(bedrock))).toEqual(bedrock);
  });
});

describe('L1 fees', () => {
  const receiptOf = (spec: typeof base, transactions: readonly string[], timestamp: bigint) => {
    const block = {
      header: { ...placeless.header, timestamp },
      transactions: transactions.map((raw) => decodeTransaction(bytesFromHex(raw as Hex))),
    };
    const own: Receipt = { type: 2, status: true, cumulativeGasUsed: 1n, logs: [], logsBloom: '0x' };
    return (index: number) => receiptToJson({ block, receipts: [own, own], index, spec });
  };

  test('receipts of OP mainnet 124,665,056 and Base 21,713,817 have the fields of the explorers', () => {
    expect(receiptOf(optimism, fjordTransactions.optimism, 1_724_928_889n)(1)).toMatchObject({
      l1GasPrice: '0x3ef12787',
      l1GasUsed: `0x${(4471).toString(16)}`,
      l1Fee: `0x${24_681_034_813n.toString(16)}`,
      l1BaseFeeScalar: `0x${(5227).toString(16)}`,
      l1BlobBaseFee: '0x1',
      l1BlobBaseFeeScalar: `0x${(1_014_213).toString(16)}`,
    });
    expect(receiptOf(base, fjordTransactions.base, 1_730_216_981n)(1)).toMatchObject({
      l1GasPrice: `0x${14_121_491_676n.toString(16)}`,
      l1GasUsed: '0x640',
      l1Fee: `0x${191_150_293_412n.toString(16)}`,
    });
  });

  test('deposits have no L1 fee', () => {
    expect(receiptOf(base, fjordTransactions.base, 1_730_216_981n)(0)).not.toHaveProperty('l1Fee');
  });

  // The transaction and parameters of rollup_cost_test.go in op-geth.
  const emptyTransaction = '0xdd80808094095e7baea6a6c7c4c2dfeb977efac326af552d878080808080';
  test.each([
    [[], 0],
    [Array(1000).fill(1), 21],
    [Array(1000).fill(0), 21],
    [[...bytesFromHex(emptyTransaction)], 31],
  ])('FastLZ makes the length of op-geth', (data, length) => {
    expect(fastLzLength(Uint8Array.from(data as number[]))).toBe(length);
  });

  test('FastLZ makes 202 bytes of a contract call on OP mainnet', () => {
    const call =
      '0x02f901550a758302df1483be21b88304743f94f80e51afb613d764fa61751affd3313c190a86bb870151bd62fd12adb8e41ef24f3f000000000000000000000000000000000000000000000000000000000000006e000000000000000000000000af88d065e77c8cc2239327c5edb3a432268e5831000000000000000000000000000000000000000000000000000000000003c1e5000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000000000000000000000000000000000000000000000000000000148c89ed219d02f1a5be012c689b4f5b731827bebe000000000000000000000000c001a033fd89cb37c31b2cba46b6466e040c61fc9b2a3675a7f5f493ebd5ad77c497f8a07cdf65680e238392693019b4092f610222e71b7cec06449cb922b93b6a12744e';
    expect(fastLzLength(bytesFromHex(call))).toBe(202);
  });
});

describe('rules', () => {
  test.each([
    [1_704_992_400n, 'mergeNetsplitBlock'],
    [1_704_992_401n, 'shanghai'],
    [1_710_374_401n, 'cancun'],
    [1_720_627_201n, 'fjord'],
    [1_726_070_401n, 'granite'],
    [1_746_806_401n, 'prague'],
    [1_764_691_201n, 'jovian'],
  ] as const)('Base at %s has the fork %s', (timestamp, fork) => {
    expect(forkAt(forkSchedule(base), { number: 30_000_000n, timestamp, difficulty: 0n })).toBe(fork);
  });

  test.each([
    // 15,000,000 of 30,000,000 gas is above the target of a sixth.
    ['Canyon', { timestamp: 1_704_992_401n, gasUsed: 15_000_000n }, 1_008_000_000n],
    ['Bedrock', { timestamp: 1_700_000_000n, gasUsed: 15_000_000n }, 1_040_000_000n],
    [
      'Holocene',
      { timestamp: 1_736_445_601n, gasUsed: 15_000_000n, extraData: '0x00000000320000000c' },
      1_100_000_000n,
    ],
    [
      'Jovian',
      { timestamp: 1_764_691_201n, gasUsed: 0n, extraData: '0x01000000320000000c000000003b9aca00' },
      1_000_000_000n,
    ],
    [
      'Jovian with a data footprint above the gas',
      {
        timestamp: 1_764_691_201n,
        gasUsed: 0n,
        blobGasUsed: 15_000_000n,
        extraData: '0x01000000320000000c0000000000000000',
      },
      1_100_000_000n,
    ],
  ] as const)('the base fee after a block of %s follows its parameters', (_, fields, expected) => {
    const parent = { gasLimit: 30_000_000n, baseFeePerGas: 1_000_000_000n, ...fields };
    expect(nextBaseFee(parent as Parameters<typeof nextBaseFee>[0], base)).toBe(expected);
  });
});
