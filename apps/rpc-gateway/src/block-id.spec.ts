import { describe, expect, test } from '@jest/globals';
import { parseBlockId, parseBlockNumberOrTag } from './block-id.ts';

const hash = `0x${'ab'.repeat(32)}`;

describe('parseBlockId', () => {
  test.each([
    ['latest', { tag: 'latest' }],
    ['earliest', { tag: 'earliest' }],
    ['pending', { tag: 'pending' }],
    ['safe', { tag: 'safe' }],
    ['finalized', { tag: 'finalized' }],
    ['0x0', { number: 0n }],
    ['0x1b4', { number: 436n }],
    ['0X1B4', { number: 436n }],
    ['0x7fffffffffffffff', { number: 2n ** 63n - 1n }],
    [hash, { hash, requireCanonical: false }],
    [hash.toUpperCase().replace('0X', '0x'), { hash, requireCanonical: false }],
    [{ blockNumber: '0x2' }, { number: 2n }],
    [{ blockNumber: 'safe' }, { tag: 'safe' }],
    [{ blockHash: hash }, { hash, requireCanonical: false }],
    [
      { blockHash: hash, blockNumber: null, requireCanonical: null },
      { hash, requireCanonical: false },
    ],
    [
      { blockHash: hash, requireCanonical: true },
      { hash, requireCanonical: true },
    ],
  ])('reads %j', (value, id) => {
    expect(parseBlockId('block', value)).toEqual(id);
  });

  const text = (kind: string) => `json: cannot unmarshal ${kind} into Go value of type string`;
  test.each([
    ['newest', 'block: expected a block number such as "0x1b4", or latest', 'hex string without 0x prefix'],
    ['436', 'block: expected a block number', 'hex string without 0x prefix'],
    [436, 'block: expected a block number', text('number')],
    [true, 'block: expected a block number', text('bool')],
    [[], 'block: expected a block number', text('array')],
    ['', 'block: expected a block number', 'empty hex string'],
    ['0x', 'block: expected a block number', 'hex string "0x"'],
    ['0x01', 'block: expected a block number', 'hex number with leading zero digits'],
    ['0xg', 'block: expected a block number', 'invalid hex string'],
    ['0xffffffffffffffff', 'block: expected a block number of 63 bits at most', 'blocknumber too high'],
    ['0x10000000000000000', 'block: expected a block number', 'hex number > 64 bits'],
    [null, 'block: expected either blockNumber or blockHash', 'must specify either BlockHash or BlockNumber'],
    [`0x${'zz'.repeat(32)}`, 'block: ', 'invalid hex string'],
    [{}, 'block: expected either blockNumber or blockHash in', 'must specify either BlockHash or BlockNumber'],
    [
      { blockNumber: '0x1', blockHash: hash },
      'block: expected either blockNumber or blockHash in the object',
      'cannot specify both BlockHash and BlockNumber, choose one or the other',
    ],
    [{ blockNumber: 1 }, 'block.blockNumber: expected a block number', text('object')],
    [{ blockHash: '0x12' }, 'block.blockHash: ', text('object')],
    [{ blockHash: hash, requireCanonical: 1 }, 'block.requireCanonical: expected true or false', text('object')],
  ])('refuses %j with the field, the expected form and the reason of geth', (value, message, reason) => {
    expect(() => parseBlockId('block', value)).toThrow(
      expect.objectContaining({
        code: 'VALUE_INVALID',
        message: expect.stringContaining(message),
        details: expect.objectContaining({ reason }),
      }),
    );
  });
});

test.each([
  [hash, 'hex number > 64 bits'],
  [null, 'hex string without 0x prefix'],
  [436, 'hex string without 0x prefix'],
  ['0xffffffffffffffff', 'block number larger than int64'],
])('parseBlockNumberOrTag refuses %j', (value, reason) => {
  expect(() => parseBlockNumberOrTag('block', value)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ reason }) }),
  );
});
