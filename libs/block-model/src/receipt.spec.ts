import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesFromHex,
  decodeBlock,
  decodeReceipt,
  encodeReceipt,
  encodeRlp,
  type Hex,
  hexFromBytes,
  logsBloomOf,
  type Receipt,
  receiptToJson,
  verifyReceipts,
} from './index.ts';
import type { Log } from './log.ts';

interface ReceiptJson {
  readonly blockHash: Hex;
  readonly type: Hex;
  readonly cumulativeGasUsed: Hex;
  readonly transactionIndex: Hex;
  readonly blobGasPrice?: Hex;
  readonly status?: Hex;
  readonly root?: Hex;
  readonly logsBloom: Hex;
  readonly logs: readonly Log[];
}

interface Vectors {
  readonly raw: {
    readonly header: { readonly hash: Hex; readonly receiptsRoot: Hex; readonly logsBloom: Hex; readonly gasUsed: Hex };
    readonly receipts: readonly Hex[];
  };
  readonly blocks: readonly { readonly case: string; readonly result: readonly ReceiptJson[] }[];
  readonly transactions: readonly { readonly case: string; readonly result: ReceiptJson }[];
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
const vectors: Vectors = read('receipts');
const blocks: readonly { readonly hash: Hex; readonly rlp: Hex }[] = read('blocks').blocks;

function blockOf(hash: Hex) {
  const vector = blocks.find((block) => block.hash === hash);
  if (!vector) throw new Error(`no vector of block ${hash}`);
  return decodeBlock(bytesFromHex(vector.rlp));
}

/** Receipt of a recorded answer, without derived fields. */
const receiptFromAnswer = ({ type, status, root, cumulativeGasUsed, logsBloom, logs }: ReceiptJson): Receipt => ({
  type: Number(type) as Receipt['type'],
  ...(root === undefined ? { status: status === '0x1' } : { root }),
  cumulativeGasUsed: BigInt(cumulativeGasUsed),
  logsBloom,
  logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
});

/** Root of an empty trie (Yellow Paper, appendix D). */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

describe('receipts as a node stores them', () => {
  const { header, receipts } = vectors.raw;
  const decoded = receipts.map((raw) => decodeReceipt(bytesFromHex(raw)));
  const names = { ...header, gasUsed: BigInt(header.gasUsed) };

  test('are decoded, encoded to the same bytes, and verified against their header', () => {
    expect(decoded.map((receipt) => hexFromBytes(encodeReceipt(receipt)))).toEqual(receipts);
    expect(decoded.flatMap(({ logs }) => logs).length).toBeGreaterThan(0);
    verifyReceipts(names, decoded);
    verifyReceipts({ ...names, receiptsRoot: emptyRoot, logsBloom: logsBloomOf([]), gasUsed: 0n }, []);
  });

  test.each([
    ['receiptsRoot', names, decoded.slice(1)],
    ['logsBloom', { ...names, logsBloom: logsBloomOf([]) }, decoded],
    ['gasUsed', { ...names, gasUsed: 1n }, decoded],
  ])('are refused when their %s differs from the header', (field, other, list) => {
    expect(() => verifyReceipts(other, list)).toThrow(
      expect.objectContaining({ code: 'BLOCK_CORRUPT', details: expect.objectContaining({ field }) }),
    );
  });
});

describe('recorded receipts', () => {
  test.each(vectors.blocks)('$case', ({ result }) => {
    const block = blockOf(result[0]?.blockHash ?? '0x');
    const receipts = result.map(receiptFromAnswer);
    verifyReceipts(block.header, receipts);
    expect(receipts.map((_, index) => receiptToJson({ block, receipts, index }))).toEqual(result);
  });

  test.each(vectors.transactions)('$case', ({ result }) => {
    const block = blockOf(result.blockHash);
    expect(result.transactionIndex).toBe('0x0');
    const price = result.blobGasPrice === undefined ? {} : { blobGasPrice: BigInt(result.blobGasPrice) };
    const receipt = receiptFromAnswer(result);
    expect(receiptToJson({ block, receipts: [receipt], index: 0, ...price })).toEqual(result);
    expect(logsBloomOf(receipt.logs)).toBe(result.logsBloom);
    expect(() => receiptToJson({ block, receipts: [receipt], index: 1 })).toThrow(RangeError);
  });
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexFromBytes);
const arbitraryReceipt: fc.Arbitrary<Receipt> = fc
  .record({
    type: fc.constantFrom<Receipt['type'][]>(0, 1, 2, 3, 4),
    outcome: fc.oneof(fc.record({ status: fc.boolean() }), fc.record({ root: bytes(32) })),
    cumulativeGasUsed: fc.bigInt({ min: 0n, max: 2n ** 64n }),
    logsBloom: bytes(256),
    logs: fc.array(
      fc.record({
        address: bytes(20),
        topics: fc.array(bytes(32), { maxLength: 4 }),
        data: fc.uint8Array({ maxLength: 70 }).map(hexFromBytes),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ outcome, ...receipt }) => ({ ...receipt, ...outcome }));

describe('decodeReceipt', () => {
  test('returns any receipt that encodeReceipt wrote', () => {
    fc.assert(
      fc.property(arbitraryReceipt, (receipt) => expect(decodeReceipt(encodeReceipt(receipt))).toEqual(receipt)),
    );
  });

  test('returns another receipt or fails with a typed error after any one byte is changed', () => {
    fc.assert(
      fc.property(arbitraryReceipt, fc.nat(), fc.integer({ min: 1, max: 255 }), (receipt, place, change) => {
        const raw = encodeReceipt(receipt);
        const at = place % raw.length;
        raw[at] = (raw[at] ?? 0) ^ change;
        let changed: Receipt;
        try {
          changed = decodeReceipt(raw);
        } catch (error) {
          expect(error).toMatchObject({ code: 'DECODE_FAILED' });
          return;
        }
        expect(changed).not.toEqual(receipt);
        expect(encodeReceipt(changed)).toEqual(raw);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['no bytes', new Uint8Array(0), 'type 0 is unknown'],
    ['an unknown type', Uint8Array.of(5, 0xc0), 'type 5 is unknown'],
    ['a status of 2', encodeRlp([Uint8Array.of(2)]), 'field status: expected no bytes or 1, found 2'],
    [
      'a short bloom',
      encodeRlp([new Uint8Array(0), new Uint8Array(0), new Uint8Array(9)]),
      'field logsBloom: expected 256',
    ],
  ])('refuses %s', (_, raw, message) => {
    expect(() => decodeReceipt(raw)).toThrow(
      expect.objectContaining({ code: 'DECODE_FAILED', message: expect.stringContaining(message) }),
    );
  });
});
