import { readFileSync } from 'node:fs';
import { encodeRlpList } from '@cairn/rlp';
import { createBlockFromRLP } from '@ethereumjs/block';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { describe, expect, test } from '@jest/globals';
import {
  type Block,
  blockFromJson,
  blockToJson,
  bytesFromHex,
  decodeBlock,
  decodeHeader,
  decodeRlp,
  encodeBlock,
  encodeBody,
  encodeRlp,
  type Hex,
  hexFromBytes,
  type Json,
  joinBlock,
  type RlpItem,
  senderOf,
  transactionFromJson,
  transactionToJson,
  verifyBlock,
} from './index.ts';

interface Vectors {
  readonly blocks: readonly { readonly source: string; readonly hash: Hex; readonly rlp: Hex }[];
  readonly answers: readonly {
    readonly case: string;
    readonly params: readonly unknown[];
    readonly result: Json & { readonly blockHash?: Hex; readonly hash: Hex };
  }[];
}

const { blocks, answers }: Vectors = JSON.parse(
  readFileSync(new URL('../vectors/blocks.json', import.meta.url), 'utf8'),
);
const decoded = new Map(blocks.map(({ hash, rlp }) => [hash, decodeBlock(bytesFromHex(rlp))]));

function blockOf(hash: Hex): Block {
  const block = decoded.get(hash);
  if (!block) throw new Error(`no vector of block ${hash}`);
  return block;
}

describe('published blocks', () => {
  test('cover every transaction type and an uncle', () => {
    const all = [...decoded.values()];
    const types = all.flatMap(({ transactions }) => transactions.map(({ type }) => type));
    expect(new Set(types)).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(all.some(({ uncles }) => uncles.length > 0)).toBe(true);
  });

  test.each(blocks)('$hash: $source', ({ hash, rlp }) => {
    const block = blockOf(hash);
    verifyBlock(block, hash);
    expect(hexFromBytes(encodeBlock(block))).toBe(rlp);
    expect(joinBlock(block.header, encodeBody(block))).toEqual(block);
    const json = blockToJson(block, { full: true });
    if (block.uncles.length === 0) expect(blockFromJson(JSON.parse(JSON.stringify(json)))).toEqual(block);
    else expect(() => blockFromJson(json)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });

  test('decodeBlock returns the fields of the reference', () => {
    const common = new Common({ chain: Mainnet, hardfork: Hardfork.Chainstart });
    const { hash, rlp } = blocks.at(-1) ?? { hash: '0x', rlp: '0x' };
    const reference = createBlockFromRLP(bytesFromHex(rlp), { common });
    const block = blockOf(hash);
    expect(hexFromBytes(reference.hash())).toBe(hash);
    expect(block.header.timestamp).toBe(reference.header.timestamp);
    expect(block.uncles.map((uncle) => uncle.hash)).toEqual(
      reference.uncleHeaders.map((uncle) => hexFromBytes(uncle.hash())),
    );
  });

  test.each(answers.filter(({ result }) => result.blockHash === undefined))('prints as recorded: $case', (answer) => {
    const block = blockOf(answer.result.hash);
    expect(blockToJson(block, { full: answer.params[1] === true })).toEqual(answer.result);
  });

  test.each(answers.filter(({ result }) => result.blockHash !== undefined))(
    'prints as recorded: $case',
    ({ result }) => {
      const { header, transactions } = blockOf(result.blockHash ?? '0x');
      const index = Number(result.transactionIndex);
      const transaction = transactions[index];
      if (!transaction) throw new Error('the block does not contain the recorded transaction');
      expect(transactionToJson(transaction, { header, index })).toEqual(result);
      expect(transactionFromJson(result)).toEqual(transaction);
      expect(senderOf(transaction)).toBe(result.from);
    },
  );
});

describe('corrupt blocks', () => {
  const block = [...decoded.values()].find(({ header }) => header.withdrawalsRoot !== undefined);
  if (!block) throw new Error('no vector with withdrawals');
  const { header, transactions, uncles } = block;
  const other = `0x${'00'.repeat(32)}` as const;

  test.each<[string, Block, Hex]>([
    ['hash', block, other],
    ['transactionsRoot', { ...block, transactions: transactions.slice(1) }, header.hash],
    ['sha3Uncles', { ...block, uncles: [header] }, header.hash],
    ['withdrawalsRoot', { header, transactions, uncles, size: 0 }, header.hash],
    [
      'withdrawalsRoot',
      { ...block, withdrawals: [{ index: 0n, validatorIndex: 0n, address: header.miner, amount: 1n }] },
      header.hash,
    ],
  ])('are refused with the %s that differs', (field, corrupt, hash) => {
    expect(() => verifyBlock(corrupt, hash)).toThrow(
      expect.objectContaining({ code: 'BLOCK_CORRUPT', details: expect.objectContaining({ field }) }),
    );
  });

  test('a legacy transaction as bytes is refused although every root matches', () => {
    const legacy = blockOf(blocks[0]?.hash ?? '0x');
    const raws = legacy.transactions.map(({ raw }) => encodeRlp(raw));
    const corrupt = encodeRlpList([legacy.header.raw, encodeRlpList(raws), encodeRlp([])]);
    expect(() => decodeBlock(corrupt)).toThrow('expected a legacy transaction as a list, found bytes');
  });

  const noItems = encodeRlp([]);

  test.each([
    ['too few parts', [header.raw], 'block, field transactions: it is missing'],
    ['too many parts', [header.raw, ...Array<Uint8Array>(5).fill(noItems)], 'block: it has 2 fields too many'],
    [
      'bytes instead of a list',
      [header.raw, Uint8Array.of(1), noItems],
      'field transactions: expected a list, found bytes',
    ],
    [
      'a list instead of a header field',
      [encodeRlp([[]])],
      'block header, field parentHash: expected bytes, found a list',
    ],
    ['a short hash', [encodeRlp([new Uint8Array(31)])], 'block header, field parentHash: expected 32 bytes, found 31'],
  ])('%s results in an error that names the field', (_, parts, message) => {
    expect(() => decodeBlock(encodeRlpList(parts))).toThrow(
      expect.objectContaining({ code: 'DECODE_FAILED', message: expect.stringContaining(message) }),
    );
  });

  test('a header field that no known fork has is refused, not dropped', () => {
    const latest = [...decoded.values()].find(({ header }) => header.requestsHash !== undefined);
    const fields = decodeRlp('header', latest?.header.raw ?? noItems) as RlpItem[];
    expect(fields).toHaveLength(21);
    expect(decodeHeader(encodeRlp(fields)).hash).toBe(latest?.header.hash);
    expect(() => decodeHeader(encodeRlp([...fields, new Uint8Array(32)]))).toThrow(
      'block header: it has 1 field too many',
    );
  });

  test('integers with leading zeros or more than 256 bits are refused', () => {
    const fields = decodeRlp('header', header.raw) as RlpItem[];
    const withNumber = (bytes: Uint8Array) => encodeRlp(fields.with(8, bytes));
    expect(decodeHeader(withNumber(new Uint8Array(0))).number).toBe(0n);
    expect(decodeHeader(withNumber(Uint8Array.of(1, 0, 0, 0, 0, 0, 0))).number).toBe(2n ** 48n);
    expect(() => decodeHeader(withNumber(Uint8Array.of(0)))).toThrow(
      'block header, field number: an integer has leading zeros',
    );
    expect(() => decodeHeader(withNumber(new Uint8Array(33).fill(1)))).toThrow('longer than 256 bits');
  });
});

describe('invalid JSON blocks', () => {
  const block = [...decoded.values()].find(({ transactions }) => transactions.some(({ type }) => type === 4));
  if (!block) throw new Error('no vector with a set-code transaction');
  const at = block.transactions.findIndex(({ type }) => type === 4);
  /** Returns the block with the value at a path replaced. */
  const withValue = (path: readonly (string | number)[], value: unknown): Json => {
    const json = JSON.parse(JSON.stringify(blockToJson(block, { full: true })));
    const parent = path.slice(0, -1).reduce((node, key) => node[key], json);
    parent[path.at(-1) ?? ''] = value;
    return json;
  };

  test.each<[string, Json]>([
    ['stateRoot: expected 32 hexadecimal bytes', withValue(['stateRoot'], '0x12')],
    ['gasUsed: expected a hexadecimal quantity', withValue(['gasUsed'], '0x0012')],
    ['gasLimit: expected a hexadecimal quantity', withValue(['gasLimit'], `0x1${'0'.repeat(1_000_000)}`)],
    ['transactions: expected a list', withValue(['transactions'], {})],
    ['transactions[0]: expected an object', withValue(['transactions', 0], block.header.hash)],
    ['transactions[0].nonce: expected a hexadecimal quantity', withValue(['transactions', 0, 'nonce'], 5)],
    ['transactions[0].type: expected a transaction type', withValue(['transactions', 0, 'type'], '0x5')],
    [
      `transactions[${at}].authorizationList: expected a list`,
      withValue(['transactions', at, 'authorizationList'], null),
    ],
    [
      `transactions[${at}].authorizationList[0].address: expected 20`,
      withValue(['transactions', at, 'authorizationList', 0, 'address'], '0x'),
    ],
    [`transactions[${at}].accessList[0]: expected an object`, withValue(['transactions', at, 'accessList'], [7])],
    ['withdrawals: expected a list', withValue(['withdrawals'], 1)],
    ['withdrawals[0].index: expected a hexadecimal quantity', withValue(['withdrawals'], [{}])],
    ['uncles: expected 0', withValue(['uncles'], [block.header.hash])],
  ])('%s', (message, json) => {
    expect(() => blockFromJson(json)).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID', message: expect.stringMatching(/^.{1,300}$/) }),
    );
    expect(() => blockFromJson(json)).toThrow(message);
  });
});
