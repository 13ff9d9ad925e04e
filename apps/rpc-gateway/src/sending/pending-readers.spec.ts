import { decodeTransaction, encodeTransaction, type Transaction } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { KeyFilters } from '../subscriptions/filters.ts';
import { MemoryFilterStore } from '../subscriptions/memory-filter-store.ts';
import { eventually, TestChain, TestClient } from '../subscriptions/test-chain.fixture.ts';
import { parseTopic } from '../subscriptions/topic.ts';
import { NetworkPending } from './pending-transactions.ts';

/** A transaction whose signature recovers some sender. */
function transaction(nonce: number): Transaction {
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
  const fields = { type: 2, chainId: 1n, nonce: BigInt(nonce), gas: 21_000n, ...fees, value: 1n, input: '0x' } as const;
  const signature = { v: 1n, r: 1n, s: 7n };
  return decodeTransaction(encodeTransaction({ ...fields, to: `0x${'11'.repeat(20)}`, accessList: [], ...signature }));
}

const [first, second] = [transaction(1), transaction(2)];

test('a subscription delivers hashes or objects of transactions that are sent after it, until it ends', async () => {
  const pending = new NetworkPending(undefined);
  const client = new TestClient(new TestChain(), { pending });
  const { subscriptions } = client;
  const of = (id: string) => client.of(id);
  pending.sent(transaction(0));
  const [hashes, objects] = [
    await subscriptions.add(parseTopic('newPendingTransactions', { value: undefined })),
    await subscriptions.add(parseTopic('newPendingTransactions', { value: true })),
  ];
  subscriptions.start([hashes, objects]);
  pending.sent(first);
  await eventually(() => of(hashes).length === 1 && of(objects).length === 1);
  expect(of(hashes)).toEqual([first.hash]);
  expect(of(objects)).toMatchObject([{ hash: first.hash, blockHash: null, gasPrice: '0x2', from: expect.any(String) }]);
  expect(subscriptions.remove(objects)).toBe(true);
  pending.sent(second);
  await eventually(() => of(hashes).length === 2);
  expect(of(objects)).toHaveLength(1);
  expect(pending.transactions.isUsed).toBe(false);
  subscriptions.close();
  expect(pending.hashes.isUsed).toBe(false);
});

test('a filter returns transactions since the last poll', async () => {
  const pending = new NetworkPending(undefined);
  const store = new MemoryFilterStore();
  const own = new KeyFilters({ chain: new TestChain(), pending, store, owner: { network: 'test', key: 'key' } });
  pending.sent(transaction(0));
  const ids = await Promise.all([false, true].map((isFull) => own.add({ kind: 'pendingTransactions', isFull })));
  const poll = () => Promise.all(ids.map((id) => own.changes(id)));
  expect(await poll()).toEqual([[], []]);
  pending.sent(first);
  pending.sent(second);
  expect(await poll()).toMatchObject([
    [first.hash, second.hash],
    [{ hash: first.hash }, { hash: second.hash }],
  ]);
  expect(await poll()).toEqual([[], []]);
});
