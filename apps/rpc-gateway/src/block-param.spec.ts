import { describe, expect, test } from '@jest/globals';
import { parseBlockId, parseBlockNumberOrTag } from './block-param.ts';

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
    ['0xffffffffffffffff', { number: 2n ** 64n - 1n }],
    [hash, { hash, requireCanonical: false }],
    [hash.toUpperCase().replace('0X', '0x'), { hash, requireCanonical: false }],
    [{ blockNumber: '0x2' }, { number: 2n }],
    [{ blockNumber: 'safe' }, { tag: 'safe' }],
    [{ blockHash: hash }, { hash, requireCanonical: false }],
    [
      { blockHash: hash, requireCanonical: true },
      { hash, requireCanonical: true },
    ],
  ])('reads %j', (value, id) => {
    expect(parseBlockId('block', value)).toEqual(id);
  });

  test.each([
    ['newest', 'block: expected a block number such as "0x1b4", or latest'],
    ['436', 'block: expected a block number'],
    [436, 'block: expected a block number'],
    ['0x', 'block: expected a block number'],
    ['0x01', 'block: expected a hexadecimal quantity without leading zeros'],
    ['0x10000000000000000', 'block: expected a block number'],
    [null, 'block: expected a block number'],
    [`0x${'zz'.repeat(32)}`, 'block: '],
    [{}, 'block: expected either blockNumber or blockHash in the object'],
    [{ blockNumber: '0x1', blockHash: hash }, 'block: expected either blockNumber or blockHash in the object'],
    [{ blockNumber: 1 }, 'block.blockNumber: expected a block number'],
    [{ blockHash: '0x12' }, 'block.blockHash: '],
    [{ blockHash: hash, requireCanonical: 1 }, 'block.requireCanonical: expected true or false'],
  ])('refuses %j, naming the field and what it takes', (value, message) => {
    expect(() => parseBlockId('block', value)).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

test('parseBlockNumberOrTag takes no hash', () => {
  expect(() => parseBlockNumberOrTag('block', hash)).toThrow('block: expected a block number');
});
