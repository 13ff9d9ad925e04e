import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newSubscriptionId, subscriptionIdOf, topicOfSubscription } from './subscription-id.ts';
import { parseTopic } from './topic.ts';

const hex = (bytes: number) => (n: number) => `0x${n.toString(16).padStart(bytes * 2, '0')}`;
const addresses = (count: number) => Array.from({ length: count }, (_, n) => hex(20)(n));
const decode = (id: string, kind?: unknown, value?: unknown) => topicOfSubscription(id, kind, { value });
const refusal = (message: RegExp) =>
  expect.objectContaining({ rpcCode: -32602, message: expect.stringMatching(message) });

test('an id describes its topic, or a digest of it that the given topic must match', () => {
  const values = (bytes: number) => fc.array(fc.nat(1000).map(hex(bytes)), { maxLength: 12 });
  const topics = fc.array(fc.oneof(fc.constant(null), values(32)), { maxLength: 4 });
  const range = fc.constantFrom(
    {},
    { fromBlock: 'earliest' },
    { fromBlock: '0x5', toBlock: '0xff' },
    { blockHash: hex(32)(7) },
  );
  const logs = fc
    .record({ address: values(20), topics, range })
    .map(({ range: blocks, ...rest }) => ({ ...rest, ...blocks }));
  const receipts = values(32).map((transactionHashes) => ({ transactionHashes }));
  const queries = fc.oneof(
    fc.constant(['newHeads', undefined] as const),
    logs.map((query) => ['logs', query] as const),
    receipts.map((query) => ['transactionReceipts', query] as const),
  );
  fc.assert(
    fc.property(queries, ([kind, value]) => {
      const topic = parseTopic(kind, { value });
      const id = subscriptionIdOf(topic);
      expect(id).toMatch(/^0x1[12][0-9a-f]+$/);
      expect(id.length).toBeLessThanOrEqual(2 + 2 * 168);
      expect(decode(id, kind, value)).toEqual(topic);
      if (id.startsWith('0x11')) expect(decode(id)).toEqual(topic);
    }),
  );
});

test('ids of one topic differ, and none begins with a zero', () => {
  const ids = Array.from({ length: 300 }, () => subscriptionIdOf({ kind: 'newHeads' }));
  expect(new Set(ids).size).toBe(300);
  expect([...ids, newSubscriptionId()].filter((id) => id.startsWith('0x0'))).toEqual([]);
});

test('an id of a long filter requires the filter', () => {
  const value = { address: addresses(50) };
  const id = subscriptionIdOf(parseTopic('logs', { value }));
  expect(id).toHaveLength(66);
  expect(() => decode(id)).toThrow(refusal(/^missing value for required argument 2\. The id contains only a digest/));
  expect(() => decode(id, 'logs', { address: addresses(49) })).toThrow(refusal(/belongs to another filter/));
  expect(() => decode(id, 'syncing')).toThrow(refusal(/belongs to another filter/));
});

test('topicOfSubscription refuses ids of other forms', () => {
  for (const kind of ['syncing', 'newPendingTransactions'])
    expect(() => decode(subscriptionIdOf(parseTopic(kind, { value: undefined })))).toThrow(
      refusal(/^invalid subscription id\. Expected the id of a subscription to newHeads, logs or transactionReceipts/),
    );
  const ids = [
    '',
    '0x',
    '0x1',
    `0x11${'00'.repeat(8)}`,
    `0x13${'00'.repeat(20)}`,
    `0x12${'00'.repeat(20)}`,
    `0x11${'ff'.repeat(200)}`,
  ];
  for (const id of ids) expect(() => decode(id)).toThrow(refusal(/^invalid subscription id\. /));
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 60 }), (bytes) => {
      try {
        decode(`0x11${Buffer.from(bytes).toString('hex')}`);
      } catch (error) {
        expect(error).toEqual(refusal(/^invalid subscription id\. /));
      }
    }),
  );
});
