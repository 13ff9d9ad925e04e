import { describe, expect, test } from '@jest/globals';
import { parseLogFilter } from '../methods/logs/log-filter.ts';
import { isInRange, parseTopic } from './topic.ts';

const hash = `0x${'11'.repeat(32)}`;
const parse = (kind: unknown, ...query: unknown[]) => parseTopic(kind, { value: query[0] });

// Expected results from geth 1.17.5 over WebSocket.
describe('parseTopic', () => {
  test.each([
    ['newHeads', undefined],
    ['syncing', undefined],
    ['newPendingTransactions', undefined],
    ['newPendingTransactions', true],
    ['newPendingTransactions', null],
    ['transactionReceipts', undefined],
    ['transactionReceipts', null],
    ['transactionReceipts', {}],
    ['transactionReceipts', { transactionHashes: [hash] }],
    ['logs', null],
    ['logs', {}],
    ['logs', { fromBlock: 'earliest' }],
    ['logs', { fromBlock: '0x5', toBlock: '0x5' }],
    ['logs', { blockHash: hash }],
  ])('accepts %s with %j', (kind, query) => {
    expect(parse(kind, query)).toMatchObject({ kind });
  });

  test.each([
    ['other', undefined, -32601, /^no "other" subscription in eth namespace$/],
    [undefined, undefined, -32602, /^expected subscription name as first argument\. /],
    [5, undefined, -32602, /^expected subscription name as first argument\. /],
    ['newHeads', 1, -32602, /^too many arguments, want at most 1\. /],
    ['newHeads', null, -32602, /^too many arguments, want at most 1\. /],
    ['syncing', {}, -32602, /^too many arguments, want at most 1\. /],
    [
      'newPendingTransactions',
      5,
      -32602,
      /^invalid argument 1: json: cannot unmarshal number into Go value of type bool\. /,
    ],
    ['logs', undefined, -32602, /^missing value for required argument 1\. /],
    ['logs', { fromBlock: 'pending' }, -32602, /^pending logs are not supported\. /],
    ['logs', { fromBlock: '0x5', toBlock: '0x2' }, -32602, /^invalid block range params\. /],
    ['logs', { fromBlock: 'latest', toBlock: '0x2' }, -32602, /^invalid block range params\. /],
    ['logs', { fromBlock: 'safe' }, -32602, /^invalid block range params\. /],
    ['logs', { toBlock: '0x99' }, -32602, /^invalid block range params\. /],
    ['logs', { address: Array(1001).fill(`0x${'11'.repeat(20)}`) }, -32000, /^exceed max addresses or topics/],
    ['logs', 5, -32602, /^invalid argument 1: json: cannot unmarshal number into Go value of type filters\.input\. /],
    [
      'transactionReceipts',
      { transactionHashes: ['0x1'] },
      -32602,
      /^invalid argument 1: json: cannot unmarshal hex string of odd length into Go struct field input\.transactionHashes of type common\.Hash\. /,
    ],
    ['transactionReceipts', { transactionHashes: Array(201).fill(hash) }, -32000, /^exceed max number of transaction/],
  ])('refuses %j with %j', (kind, query, rpcCode, message) => {
    expect(() => parse(kind, query)).toThrow(
      expect.objectContaining({ rpcCode, message: expect.stringMatching(message) }),
    );
  });
});

test.each([
  [{}, 5n, true],
  [{ fromBlock: '0x5' }, 4n, false],
  [{ fromBlock: '0x5', toBlock: '0x6' }, 6n, true],
  [{ fromBlock: '0x5', toBlock: '0x6' }, 7n, false],
  [{ fromBlock: 'earliest' }, 0n, true],
])('isInRange of %j and block %s: %s', (filter, number, expected) => {
  expect(isInRange(parseLogFilter('filter', filter), number)).toBe(expected);
});
