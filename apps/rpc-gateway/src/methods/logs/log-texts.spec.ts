import { type Block, type Header, type Hex, type Log, logsBloomOf, type Receipt } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import type { LogFilter } from './log-filter.ts';
import { logTextsOf } from './log-texts.ts';
import { logsOf } from './logs-of.ts';

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const address = (value: number): Hex => `0x${value.toString(16).padStart(40, '0')}`;
const logOf = (at: number, data: Hex = '0x'): Log => ({
  address: address(at % 3),
  topics: [word(at % 2), word(at)],
  data,
});

/** A block with three transactions of two logs each. */
function blockOf(number: number, data?: Hex) {
  const transactions = [0, 1, 2].map((at) => ({ hash: word(number * 10 + at) }));
  const logs = Array.from({ length: 6 }, (_, at) => logOf(at, data));
  const header = {
    hash: word(number),
    number: BigInt(number),
    timestamp: 7n,
    logsBloom: logsBloomOf(logs),
  } as unknown as Header;
  const receipts = [0, 1, 2].map((at) => ({ logs: logs.slice(2 * at, 2 * at + 2) })) as unknown as Receipt[];
  const block = { header, transactions } as unknown as Block;
  return { header, reader: { receipts: () => receipts, block: () => block } };
}

const range = { from: { tag: 'earliest' }, to: { tag: 'latest' } } as const;
const filters: readonly LogFilter[] = [
  { blocks: range, addresses: [address(1)], topics: [] },
  { blocks: range, addresses: [], topics: [] },
  { blocks: range, addresses: [], topics: [[word(1)]] },
  { blocks: range, addresses: [address(2)], topics: [[], [word(5)]] },
  { blocks: range, addresses: [address(9)], topics: [] },
];

test('logTextsOf returns the texts of logsOf, for new and kept blocks', () => {
  for (let round = 0; round < 2; round++) {
    for (const filter of filters) {
      for (const number of [1, 2]) {
        const { header, reader } = blockOf(number);
        const expected = [...logsOf(filter, reader, header)].map((log) => JSON.stringify(log));
        expect(logTextsOf(filter, reader, header, 6)).toEqual(expected);
      }
    }
  }
});

test('logTextsOf stays correct beyond its bound', () => {
  const [filter] = filters as [LogFilter];
  const data: Hex = `0x${'ab'.repeat(1_000_000)}`;
  for (const number of [11, 12, 13, 11]) {
    const { header, reader } = blockOf(number, data);
    const expected = [...logsOf(filter, reader, header)].map((log) => JSON.stringify(log));
    expect(logTextsOf(filter, reader, header, 6)).toEqual(expected);
  }
});

test('logTextsOf stops after one log above the limit', () => {
  const { header, reader } = blockOf(21);
  const filter = { blocks: range, addresses: [], topics: [] };
  expect(logTextsOf(filter, reader, header, 3)).toHaveLength(4);
  expect(logTextsOf(filter, reader, header, 6)).toHaveLength(6);
});
