import { afterEach, expect, test } from '@jest/globals';
import { createUpstreamPool, runInLane, type UpstreamPool } from './index.ts';
import { startNode, type TestNode } from './node.fixture.ts';

let node: TestNode | undefined;
let pool: UpstreamPool | undefined;
afterEach(async () => {
  await pool?.close();
  await node?.stop();
});

const call = (id: number) => ({ method: 'eth_read', params: [id], parse: (result: unknown) => result });

test('a flood of one lane neither fills the queue for others nor delays them by more than a turn', async () => {
  const served: number[] = [];
  node = await startNode(async ({ params }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    served.push(params[0] as number);
    return { result: params[0] };
  });
  const limits = { queueMax: 200, batchMax: 4, concurrencyMax: 4, deadlineMs: 60_000 };
  pool = createUpstreamPool({ chainId: 1n, upstreams: [node.url], limits });
  await pool.request(call(-1));
  served.length = 0;
  const flood = runInLane({ name: 'flood' }, () =>
    Promise.allSettled(Array.from({ length: 300 }, (_, id) => (pool as UpstreamPool).request(call(id)))),
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { value } = await runInLane({ name: 'other' }, () => (pool as UpstreamPool).request(call(1000)));
  expect(value).toBe(1000);
  // The calls that were in flight before it, and those of its own turns.
  expect(served.indexOf(1000)).toBeLessThan(40);
  const outcomes = await flood;
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(200);
});

test('onCall counts calls that are sent, once for callers that share one', async () => {
  node = await startNode(() => ({ result: 'value' }));
  pool = createUpstreamPool({ chainId: 1n, upstreams: [node.url] });
  let calls = 0;
  const lane = { name: 'a', onCall: () => calls++ };
  const shared = { ...call(1), shareAs: 'one' };
  await runInLane(lane, () =>
    Promise.all([shared, shared, call(2)].map((each) => (pool as UpstreamPool).request(each))),
  );
  expect(calls).toBe(2);
  await pool.request(call(3));
  expect(calls).toBe(2);
});
