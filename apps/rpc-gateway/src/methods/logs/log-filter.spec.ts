import type { Hex } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { conditionsOf, matches, parseLogFilter } from './log-filter.ts';

const address = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const topic = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
const log = (from: number, topics: readonly number[]) => ({
  address: address(from),
  topics: topics.map(topic),
  data: '0x' as const,
});
const read = (value: unknown) => parseLogFilter('filter', value);

describe('parseLogFilter', () => {
  const member = (fault: string) =>
    `json: cannot unmarshal ${fault} into Go struct field input.blockHash of type common.Hash`;
  test.each([
    [
      { blockHash: topic(1), fromBlock: '0x1' },
      /^filter: expected either blockHash or a range/,
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    ],
    [{ blockHash: '0x1' }, /^filter.blockHash/, member('hex string of odd length')],
    [{ blockHash: 5 }, /^filter.blockHash/, member('non-string')],
    [{ topics: [null, null, null, null, null] }, /^filter.topics/, 'exceed max topics'],
    [{ topics: [Array(1001).fill(topic(1))] }, /^filter.topics\[0\]/, 'exceed max topics'],
    [{ address: '0x1' }, /^filter.address/, 'invalid address: hex string of odd length'],
    [{ address: '' }, /^filter.address/, 'invalid address: empty hex string'],
    [
      { address: ['0x12'] },
      /^filter.address\[0\]/,
      'invalid address at index 0: hex has invalid length 1 after decoding; expected 20 for address',
    ],
    [{ address: [address(1), 7] }, /^filter.address\[1\]/, 'non-string address at index 1'],
    [{ address: 5 }, /^filter.address/, 'invalid addresses in query'],
    [{ topics: [topic(1), ['0x1']] }, /^filter.topics\[1\]\[0\]/, 'hex string of odd length'],
    [{ topics: [5] }, /^filter.topics\[0\]/, 'invalid topic(s)'],
    [
      { topics: 'x' },
      /^filter.topics/,
      'json: cannot unmarshal string into Go struct field input.topics of type []interface {}',
    ],
    [{ fromBlock: 'newest' }, /^filter.fromBlock/, 'hex string without 0x prefix'],
    [{ toBlock: '0xffffffffffffffff' }, /^filter.toBlock/, 'block number larger than int64'],
    [[], /^filter/, 'json: cannot unmarshal array into Go value of type filters.input'],
  ])('refuses %j', (value, message, reason) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({
        code: 'VALUE_INVALID',
        message: expect.stringMatching(message),
        details: expect.objectContaining({ reason }),
      }),
    );
  });

  test('reads an absent range as the newest block, and null as every topic', () => {
    expect(read({ address: null, topics: [null, [topic(1), null]] })).toEqual({
      blocks: { from: { tag: 'latest' }, to: { tag: 'latest' } },
      addresses: [],
      topics: [[], []],
    });
    expect(read(null)).toEqual(read({}));
  });
});

test.each([
  [{}, true],
  [{ address: address(1) }, true],
  [{ address: [address(2), address(1)] }, true],
  [{ address: address(2) }, false],
  [{ topics: [topic(7)] }, true],
  [{ topics: [null, topic(8)] }, true],
  [{ topics: [[topic(1), topic(7)], []] }, true],
  [{ topics: [topic(8)] }, false],
  [{ topics: [null, null, null] }, false],
  [{ address: address(1), topics: [topic(8), topic(8)] }, false],
])('matches with filter %j returns %s', (filter, expected) => {
  expect(matches(read(filter), log(1, [7, 8]))).toBe(expected);
});

test('every matching log meets all conditions of conditionsOf', () => {
  const numbers = fc.array(fc.nat(4), { maxLength: 4 });
  fc.assert(
    fc.property(fc.nat(4), numbers, fc.nat(4), numbers, (at, topics, from, wanted) => {
      const one = log(at, topics);
      const filter = read({ address: address(from), topics: wanted.map((n) => (n === 0 ? null : topic(n))) });
      const meets = conditionsOf(filter).every(({ field, values }) =>
        values.includes(field === 'address' ? one.address : (one.topics[field] ?? '0x')),
      );
      expect(meets || !matches(filter, one)).toBe(true);
    }),
  );
  expect(conditionsOf(read({ topics: [null, topic(1)] }))).toEqual([{ field: 1, values: [topic(1)] }]);
  expect(conditionsOf(read({}))).toEqual([]);
});
