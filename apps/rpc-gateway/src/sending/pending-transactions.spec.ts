import {
  decodeTransaction,
  encodeTransaction,
  type Hex,
  type Json,
  type Transaction,
  transactionToJson,
} from '@cairn/block-model';
import type { UpstreamCall } from '@cairn/upstream';
import { describe, expect, test } from '@jest/globals';
import { NetworkPending } from './pending-transactions.ts';
import { RecentEvents } from './recent-events.ts';

/** A transaction whose signature recovers some sender. */
function transaction(nonce: number): Transaction {
  const fields = {
    type: 2,
    chainId: 1n,
    nonce: BigInt(nonce),
    gas: 21_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
  } as const;
  return decodeTransaction(
    encodeTransaction({
      ...fields,
      to: `0x${'11'.repeat(20)}`,
      value: 1n,
      input: '0x',
      accessList: [],
      v: 1n,
      r: 1n,
      s: 7n,
    }),
  );
}

function feed(answer: (hash: string) => unknown = () => null) {
  const listeners = new Set<(hash: string) => void>();
  const asked: string[] = [];
  const isolated: unknown[] = [];
  return {
    asked,
    isolated,
    listeners,
    report: (hash: string) => {
      for (const listener of listeners) listener(hash);
    },
    pool: {
      onPendingTransaction(listener: (hash: string) => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      async request<T>({ params, parse }: UpstreamCall<T>) {
        asked.push(String(params[0]));
        try {
          return { value: await parse(answer(String(params[0]))), upstream: 'node' };
        } catch (error) {
          isolated.push(error);
          throw error;
        }
      },
    },
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
const hashOf = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`;

describe('NetworkPending', () => {
  test('reports sent transactions once, with hash and content, without upstreams too', () => {
    const pending = new NetworkPending(undefined);
    const heard: Hex[] = [];
    pending.hashes.listen(() => heard.push(...pending.hashes.since(pending.hashes.position - 1)));
    pending.sent(transaction(1));
    pending.sent(transaction(1));
    pending.sent(transaction(2));
    expect(heard).toEqual([transaction(1).hash, transaction(2).hash]);
    expect(pending.transactions.since(0).map(({ nonce }) => nonce)).toEqual([1n, 2n]);
  });

  test('follows the upstreams only while there are readers, and reads content only for readers of content', async () => {
    let now = 0;
    const { pool, listeners, report, asked } = feed();
    const pending = new NetworkPending(pool, () => now);
    expect(listeners.size).toBe(0);
    const end = pending.hashes.listen(() => undefined);
    report(hashOf(1));
    report(hashOf(1));
    expect(pending.hashes.since(0)).toEqual([hashOf(1)]);
    expect(asked).toEqual([]);
    end();
    expect(listeners.size).toBe(0);
    expect(pending.transactions.poll()).toBe(0);
    expect(listeners.size).toBe(1);
    report(hashOf(2));
    await settled();
    expect(asked).toEqual([hashOf(2)]);
    now = 5 * 60_000;
    pending.hashes.listen(() => undefined)();
    expect(listeners.size).toBe(0);
  });

  test('verifies the content of reported transactions', async () => {
    const [first, second] = [transaction(1), transaction(2)];
    const json = (of: Transaction): Json => ({ ...transactionToJson(of), hash: first.hash });
    const { pool, report, isolated } = feed(() => json(first));
    const pending = new NetworkPending(pool);
    pending.transactions.listen(() => undefined);
    report(first.hash);
    report(second.hash);
    await settled();
    expect(pending.transactions.since(0).map(({ hash }) => hash)).toEqual([first.hash]);
    expect(isolated).toMatchObject([{ code: 'UPSTREAM_ANSWER_INVALID' }]);
    expect(pending.hashes.since(0)).toEqual([first.hash, second.hash]);
  });

  test('a flood keeps a bounded number of events and requests', async () => {
    const { pool, report, asked } = feed();
    const pending = new NetworkPending(pool);
    pending.transactions.listen(() => undefined);
    for (let index = 0; index < 20_000; index++) report(hashOf(index));
    expect(pending.hashes.position).toBe(20_000);
    expect(pending.hashes.since(0)).toHaveLength(4_096);
    expect(pending.hashes.since(0).at(-1)).toBe(hashOf(19_999));
    await settled();
    expect(asked.length).toBeLessThan(300);
  });
});

test('RecentEvents returns events since a position in order, without those that were dropped', () => {
  const events = new RecentEvents<number>();
  for (let value = 0; value < 5_000; value++) events.add(value);
  expect(events.since(5_000)).toEqual([]);
  expect(events.since(4_997)).toEqual([4_997, 4_998, 4_999]);
  expect(events.since(0)[0]).toBe(904);
  expect(events.since(9_999)).toEqual([]);
});
