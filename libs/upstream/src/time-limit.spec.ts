import { expect, test } from '@jest/globals';
import { createUpstreamPool } from './index.ts';
import { startNode } from './node.fixture.ts';
import { afterTimeLimit } from './time-limit.ts';

/** Blocks the event loop. */
function keepBusy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('the work runs after its time, and not after a cancel', async () => {
  const done: string[] = [];
  afterTimeLimit(20, () => done.push('kept'));
  afterTimeLimit(20, () => done.push('cancelled'))();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(done).toEqual(['kept']);
});

test('a cancel also ends the second wait of a late timer', async () => {
  let isDone = false;
  const cancel = afterTimeLimit(20, () => {
    isDone = true;
  });
  keepBusy(300);
  // The timer of the limit runs first, since it is older.
  await new Promise((resolve) => setTimeout(resolve, 0));
  cancel();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(isDone).toBe(false);
});

test('an answer that waits unread while the process is busy is no timeout', async () => {
  const node = await startNode();
  const outcomes: string[] = [];
  const pool = createUpstreamPool({
    chainId: 1n,
    upstreams: [node.url],
    limits: { attemptMs: 300 },
    onEvent: (event) => event.type === 'attempt' && outcomes.push(event.outcome),
  });
  try {
    const read = { method: 'eth_read', params: [], parse: (result: unknown) => result };
    await pool.request(read);
    const answer = pool.request(read);
    // The request has left when the loop stops.
    await new Promise((resolve) => setTimeout(resolve, 2));
    keepBusy(600);
    expect((await answer).value).toBe('ok');
    expect(outcomes).not.toContain('failed');
  } finally {
    await pool.close();
    await node.stop();
  }
});
