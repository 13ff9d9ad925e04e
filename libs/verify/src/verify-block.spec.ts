import { readFileSync } from 'node:fs';
import {
  type Block,
  blockToJson,
  bytesFromHex,
  decodeBlock,
  encodeReceipt,
  type Header,
  type Hex,
  type Json,
  logsBloomOf,
  makeHeader,
  type Receipt,
  receiptsRoot,
  receiptToJson,
} from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { addressOf, headersTo, word } from './test-chain.fixture.ts';
import { verifyBlock, verifyHeader, verifyReceipts } from './verify-block.ts';
import { proveItems, verifyReceipt, verifyTransaction } from './verify-inclusion.ts';

const vectors = new URL('../../block-model/vectors/blocks.json', import.meta.url);
const blocks: readonly Block[] = JSON.parse(readFileSync(vectors, 'utf8')).blocks.map(({ rlp }: { rlp: Hex }) =>
  decodeBlock(bytesFromHex(rlp)),
);
const failsWith = (code: string) => expect.objectContaining({ code });
const full = blocks.filter(({ transactions }) => transactions.length > 1).at(-1) as Block;
const json = blockToJson(full, { full: true });
const list = json.transactions as readonly Json[];

describe('verifyBlock', () => {
  test('accepts every block of the vectors, in JSON', () => {
    for (const block of blocks) {
      const options = { blockHash: block.header.hash, uncles: block.uncles };
      expect(verifyBlock(blockToJson(block, { full: true }), options)).toEqual(block);
    }
  });

  test.each<[string, string, Json]>([
    ['another state root', 'BLOCK_UNTRUSTED', { ...json, stateRoot: word(1) }],
    [
      'the hash of another block with its own fields',
      'BLOCK_UNTRUSTED',
      blockToJson(blocks[0] as Block, { full: true }),
    ],
    ['a missing transaction', 'BLOCK_INVALID', { ...json, transactions: list.slice(1) }],
    ['transactions in another order', 'BLOCK_INVALID', { ...json, transactions: list.toReversed() }],
    [
      'a changed value',
      'BLOCK_INVALID',
      { ...json, transactions: [{ ...list[0], value: '0x1234' }, ...list.slice(1)] },
    ],
    ['transactions by hash', 'ANSWER_MALFORMED', blockToJson(full, { full: false })],
    ['null as a field', 'ANSWER_MALFORMED', { ...json, parentHash: null }],
  ])('refuses %s', (_, code, lie) => {
    expect(() => verifyBlock(lie, { blockHash: full.header.hash })).toThrow(failsWith(code));
  });

  test('ignores stated hashes and senders', () => {
    const lie = {
      ...json,
      hash: word(1),
      transactions: list.map((each) => ({ ...each, hash: word(2), from: addressOf('00') })),
    };
    expect(verifyBlock(lie, { blockHash: full.header.hash })).toEqual(full);
  });

  test('verifyHeader refuses a wrong header and what is no object', () => {
    expect(verifyHeader(json, full.header.hash)).toEqual(full.header);
    expect(() => verifyHeader({ ...json, gasUsed: '0x1' }, full.header.hash)).toThrow(failsWith('BLOCK_UNTRUSTED'));
    for (const answer of [null, 'x', []])
      expect(() => verifyHeader(answer, full.header.hash)).toThrow(failsWith('ANSWER_MALFORMED'));
  });
});

const receipt = (gas: bigint, data: Hex): Receipt => {
  const logs = [{ address: addressOf('ab'), topics: [word(1)], data }];
  return { type: 2, status: true, cumulativeGasUsed: gas, logsBloom: logsBloomOf(logs), logs };
};
const receipts = full.transactions.map((_, index) => receipt(BigInt(index + 1) * 21_000n, word(index)));
const { hash: _hash, raw: _raw, ...fields } = full.header;
const header: Header = makeHeader({
  ...fields,
  receiptsRoot: receiptsRoot(receipts),
  logsBloom: logsBloomOf(receipts.flatMap(({ logs }) => logs)),
  gasUsed: BigInt(receipts.length) * 21_000n,
});
const block = { ...full, header };
const receiptsJson = receipts.map((_, index) => receiptToJson({ block, receipts, index }));

describe('verifyReceipts', () => {
  test('accepts the receipts of a block', () => expect(verifyReceipts(receiptsJson, header)).toEqual(receipts));

  test.each<[string, string, unknown]>([
    ['a missing receipt', 'RECEIPTS_INVALID', receiptsJson.slice(1)],
    ['another status', 'RECEIPTS_INVALID', receiptsJson.with(0, { ...receiptsJson[0], status: '0x0' })],
    ['an omitted log', 'RECEIPTS_INVALID', receiptsJson.with(0, { ...receiptsJson[0], logs: [] })],
    ['a receipt without logs', 'ANSWER_MALFORMED', receiptsJson.with(0, { ...receiptsJson[0], logs: null })],
    ['null', 'ANSWER_MALFORMED', null],
  ])('refuses %s', (_, code, lie) => {
    expect(() => verifyReceipts(lie, header)).toThrow(failsWith(code));
  });
});

describe.each([
  ['verifyTransaction', full.transactions.map(({ raw }) => raw), full.header] as const,
  ['verifyReceipt', receipts.map(encodeReceipt), header] as const,
])('%s', (name, items, { raw, hash }) => {
  const index = items.length - 1;
  const nodes = proveItems(items, [index]);
  const verify = (proof: object, blockHash = hash) => {
    const given = { header: raw, index, nodes, ...proof };
    return name === 'verifyTransaction'
      ? verifyTransaction(given, { blockHash }).transaction
      : verifyReceipt(given, { blockHash }).receipt;
  };

  test('accepts the proof of each item', () => {
    for (const [at] of items.entries())
      expect(verify({ index: at, nodes: proveItems(items, [at]) })).toEqual(
        name === 'verifyTransaction' ? full.transactions[at] : receipts[at],
      );
  });

  test('refuses another block, index or proof', () => {
    expect(() => verify({}, word(1))).toThrow(failsWith('BLOCK_UNTRUSTED'));
    expect(() => verify({ header: (headersTo(1)[1] as Header).raw })).toThrow(failsWith('BLOCK_UNTRUSTED'));
    expect(() => verify({ index: index + 1 })).toThrow(failsWith('PROOF_INVALID'));
    expect(() => verify({ nodes: nodes.slice(1) })).toThrow(failsWith('PROOF_INVALID'));
    expect(() => verify({ nodes: [] })).toThrow(failsWith('PROOF_INVALID'));
    // A proof that the block has no item at an index is valid and proves no item.
    expect(() => verify({ index: 100_000, nodes: proveItems(items, [100_000]) })).toThrow(failsWith('PROOF_INVALID'));
  });
});
