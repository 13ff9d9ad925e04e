import { cidFor } from '@cairn/cid';
import { expect, jest, test } from '@jest/globals';
import type { BlockExchange, FetchOptions } from './index.ts';
import { raceExchanges } from './race-exchanges.ts';
import { createMemoryExchange, describeBlockExchange } from './testing/index.ts';

describeBlockExchange('raceExchanges', async () => {
  const [one, two] = [createMemoryExchange(), createMemoryExchange()];
  let nodes = 0;
  // The peers of the second exchange must not have the names of those of the first.
  two.addNode();
  return {
    exchange: raceExchanges([one, two], { headStartMs: 10 }),
    startNode: async () => (nodes++ === 0 ? one.addNode() : two.addNode()),
    startWrongNode: async () => one.addWrongNode(),
    stop: async () => {},
  };
});

const bytes = Buffer.from('x');
const cid = cidFor(bytes, { codec: 'raw' });

/** Exchange that answers by a function and counts its fetches and their ends. */
function fake(answer: () => Promise<Uint8Array>) {
  const counts = { started: 0, aborted: 0 };
  const fetch = (_: unknown, { signal }: FetchOptions = {}) => {
    counts.started++;
    signal?.addEventListener('abort', () => counts.aborted++);
    return answer();
  };
  const exchange: BlockExchange = {
    fetch,
    openSession: () => ({ fetch, addProviders: () => {}, close: () => {} }),
    announce: () => {},
    peers: () => [],
    close: async () => {},
  };
  return { exchange, counts };
}
const never = () => new Promise<Uint8Array>(() => {});

test('the winner of a block ends the fetches of the others', async () => {
  const [fast, slow] = [fake(async () => bytes), fake(never)];
  const exchange = raceExchanges([slow.exchange, fast.exchange]);
  expect(await exchange.fetch(cid)).toBe(bytes);
  expect(slow.counts).toEqual({ started: 1, aborted: 1 });
});

test('a session starts the winner of the previous block alone', async () => {
  const [fast, slow] = [fake(async () => bytes), fake(never)];
  const session = raceExchanges([slow.exchange, fast.exchange]).openSession();
  for (let round = 0; round < 5; round++) await session.fetch(cid);
  expect([slow.counts.started, fast.counts.started]).toEqual([1, 5]);
});

test('the other exchanges join when no block has arrived for the time of the head start', async () => {
  const answers: (() => void)[] = [];
  const queued = fake(() => new Promise((resolve) => answers.push(() => resolve(bytes))));
  const other = fake(never);
  const session = raceExchanges([queued.exchange, other.exchange], { headStartMs: 300 }).openSession();
  const first = session.fetch(cid);
  answers.shift()?.();
  await first;
  expect(other.counts.started).toBe(1);
  jest.useFakeTimers();
  try {
    // Blocks that arrive one after another: the last of them waits much longer than the head start.
    const fetches = Array.from({ length: 10 }, () => session.fetch(cid));
    for (const answer of answers.splice(0)) {
      await jest.advanceTimersByTimeAsync(200);
      answer();
    }
    await Promise.all(fetches);
    expect(other.counts.started).toBe(1);
    const stalled = session.fetch(cid);
    await jest.advanceTimersByTimeAsync(600);
    expect(other.counts.started).toBe(2);
    answers.shift()?.();
    await stalled;
  } finally {
    jest.useRealTimers();
  }
});

test('a failed winner starts the others immediately', async () => {
  let isBroken = false;
  const first = fake(async () => {
    if (isBroken) throw new Error('broken');
    return bytes;
  });
  const second = fake(async () => {
    if (!isBroken) return never();
    return bytes;
  });
  const session = raceExchanges([first.exchange, second.exchange], { headStartMs: 1e9 }).openSession();
  await session.fetch(cid);
  isBroken = true;
  expect(await session.fetch(cid)).toBe(bytes);
});

test('a race fails when all exchanges have failed', async () => {
  const failing = () => fake(() => Promise.reject(new Error('no route'))).exchange;
  await expect(raceExchanges([failing(), failing()]).fetch(cid)).rejects.toThrow('no route');
});
