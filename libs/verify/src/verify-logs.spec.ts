import {
  decodeTransaction,
  encodeReceipt,
  encodeTransaction,
  type Header,
  type Hex,
  type LogQuery,
  logsBloomOf,
  makeHeader,
  type Receipt,
  receiptsRoot,
  type Transaction,
  transactionsRoot,
} from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addressOf, headersTo, testSpec, word } from './test-chain.fixture.ts';
import { verifyLogs } from './verify-logs.ts';
import { createLogProver, decodeLogWitness, encodeLogWitness, type LogWitness } from './witness/log-witness.ts';

const emitter = addressOf('e1');
const other = addressOf('e2');
const failsWith = (code: string) => expect.objectContaining({ code });

interface TestBlock {
  readonly header: Header;
  readonly receipts: readonly Receipt[];
  readonly transactions: readonly Transaction[];
}

const transaction = (nonce: number): Transaction =>
  decodeTransaction(
    encodeTransaction({
      type: 0,
      nonce: BigInt(nonce),
      gas: 21_000n,
      gasPrice: 1n,
      to: emitter,
      value: 0n,
      input: '0x',
      v: 27n,
      r: 1n,
      s: 1n,
    }),
  );

/** Blocks 0 to 19. Every third block has 20 transactions: those with an even index log, by two emitters in turn. */
function makeBlocks(): TestBlock[] {
  const blocks: TestBlock[] = [];
  for (const [number, { hash: _hash, raw: _raw, ...fields }] of headersTo(19).entries()) {
    const transactions = number % 3 === 0 ? Array.from({ length: 20 }, (_, n) => transaction(number * 100 + n)) : [];
    const receipts = transactions.map((_, index): Receipt => {
      const address = index % 4 === 0 ? emitter : other;
      const logs = index % 2 === 0 ? [{ address, topics: [word(number), word(index)], data: word(index) }] : [];
      return { type: 0, status: true, cumulativeGasUsed: BigInt(index + 1), logsBloom: logsBloomOf(logs), logs };
    });
    const header = makeHeader({
      ...fields,
      parentHash: blocks.at(-1)?.header.hash ?? word(0),
      transactionsRoot: transactionsRoot(transactions),
      receiptsRoot: receiptsRoot(receipts),
      logsBloom: logsBloomOf(receipts.flatMap(({ logs }) => logs)),
      gasUsed: BigInt(receipts.length),
    });
    blocks.push({ header, receipts, transactions });
  }
  return blocks;
}

const blocks = makeBlocks();
const [from, to] = [2n, 17n];
const range = blocks.slice(2, 18).reverse();
const blockHash = (range[0] as TestBlock).header.hash;

function partsOf(query: LogQuery): LogWitness {
  const find = (header: Header) => blocks[Number(header.number)] as TestBlock;
  const prove = createLogProver(query, { receipts: (header) => find(header).receipts, block: find });
  const proven = range.map(({ header }) => prove(header));
  return {
    chainId: 1337n,
    headers: range.map(({ header }) => header.raw),
    receipts: proven.flatMap(({ receipts }) => (receipts === undefined ? [] : [receipts])),
    nodes: proven.flatMap(({ nodes }) => nodes),
  };
}

const queries: readonly LogQuery[] = [
  { addresses: [emitter] },
  { addresses: [emitter, other] },
  { topics: [[word(6)]] },
  { topics: [null, [word(4), word(8)]] },
  { addresses: [addressOf('99')] },
  {},
];
const verify = (parts: LogWitness, query: LogQuery, options: object = {}) =>
  verifyLogs(encodeLogWitness(parts), { blockHash, query, from, to, chain: testSpec, ...options });

describe('verifyLogs', () => {
  test.each(queries)('returns the logs of %j in order', (query) => {
    const found = verify(partsOf(query), query);
    const wanted = blocks.slice(2, 18).flatMap(({ header, receipts, transactions }) => {
      const logs = receipts.flatMap((receipt, index) => receipt.logs.map((log) => ({ log, index })));
      return logs
        .map(({ log, index }, at) => ({
          ...log,
          blockHash: header.hash,
          transactionHash: transactions[index]?.hash,
          at,
        }))
        .filter(({ address, topics }) => {
          const { addresses = [], topics: places = [] } = query;
          if (addresses.length > 0 && !addresses.includes(address)) return false;
          return places.every((values, at) => values === null || values.includes(topics[at] as Hex));
        });
    });
    expect(
      found.map(({ address, topics, data, blockHash: block, transactionHash, logIndex }) => ({
        address,
        topics,
        data,
        blockHash: block,
        transactionHash,
        at: Number(logIndex),
      })),
    ).toEqual(wanted);
  });

  const query: LogQuery = { addresses: [emitter] };
  const parts = partsOf(query);
  const [first, ...others] = parts.receipts as [readonly Uint8Array[], ...(readonly Uint8Array[])[]];

  test.each<[string, string, Partial<LogWitness>]>([
    ['an omitted block', 'WITNESS_INCOMPLETE', { receipts: others }],
    ['an omitted receipt', 'RECEIPTS_INVALID', { receipts: [first.slice(1), ...others] }],
    [
      'a receipt without its log',
      'RECEIPTS_INVALID',
      {
        receipts: [
          first.with(
            0,
            encodeReceipt({
              type: 0,
              status: true,
              cumulativeGasUsed: 1n,
              logsBloom: `0x${'00'.repeat(256)}`,
              logs: [],
            }),
          ),
          ...others,
        ],
      },
    ],
    ['receipts of another block', 'RECEIPTS_INVALID', { receipts: [...others, first] }],
    ['bytes that are no receipt', 'RECEIPTS_INVALID', { receipts: [[Uint8Array.of(9)], ...others] }],
    ['a missing header at the start', 'REQUEST_DIFFERS', { headers: parts.headers.slice(0, -1) }],
    ['a missing header at the end', 'BLOCK_UNTRUSTED', { headers: parts.headers.slice(1) }],
    ['a missing header in the middle', 'ANCESTOR_UNLINKED', { headers: parts.headers.toSpliced(4, 1) }],
    ['no transaction proofs', 'WITNESS_INCOMPLETE', { nodes: [] }],
    ['another chain', 'CHAIN_MISMATCH', { chainId: 1n }],
  ])('refuses %s', (_, code, lie) => {
    expect(() => verify({ ...parts, ...lie }, query)).toThrow(failsWith(code));
  });

  test('refuses a witness for another query or range', () => {
    expect(() => verify(parts, { addresses: [other], topics: [[word(6)]] })).toThrow(failsWith('WITNESS_INCOMPLETE'));
    expect(() => verify(parts, query, { from: 1n })).toThrow(failsWith('REQUEST_DIFFERS'));
    expect(() => verify(parts, query, { to: 18n })).toThrow(failsWith('REQUEST_DIFFERS'));
    expect(() => verify(parts, query, { blockHash: word(5) })).toThrow(failsWith('BLOCK_UNTRUSTED'));
  });

  test('every flip of a bit is refused or does not change the logs', () => {
    const witness = encodeLogWitness(parts);
    const expected = verify(parts, query);
    fc.assert(
      fc.property(fc.nat(witness.length - 1), fc.nat(7), (at, bit) => {
        const changed = witness.with(at, (witness[at] as number) ^ (1 << bit));
        try {
          expect(verifyLogs(changed, { blockHash, query, from, to, chain: testSpec })).toEqual(expected);
        } catch (error) {
          expect(error).toMatchObject({ name: 'VerifyError' });
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 500) },
    );
  });

  test('encodeLogWitness and decodeLogWitness are inverse', () => {
    expect(decodeLogWitness(encodeLogWitness(parts))).toEqual(parts);
  });
});
