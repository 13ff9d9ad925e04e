import { expect, jest, test } from '@jest/globals';
import { reachHeight } from './reach-height.ts';

function growingChain(number: bigint | undefined) {
  const listeners = new Set<() => void>();
  const chain = {
    reader: { headOrNone: number === undefined ? undefined : { number } } as never as {
      headOrNone: { number: bigint };
    },
    heads: {
      listen(listener: () => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
  const grow = (to: bigint) => {
    chain.reader.headOrNone = { number: to };
    for (const listener of [...listeners]) listener();
  };
  return { chain: chain as never as Parameters<typeof reachHeight>[0], grow, listeners };
}

const { signal } = new AbortController();

test('a reached height needs no wait and leaves no listener', async () => {
  const { chain, listeners } = growingChain(7n);
  expect(await reachHeight(chain, 7n, { waitMs: 60_000, signal })).toBe(true);
  expect(listeners.size).toBe(0);
});

test('the wait ends at the first head of at least the height', async () => {
  const { chain, grow, listeners } = growingChain(undefined);
  const ended = jest.fn();
  const waiting = reachHeight(chain, 9n, { waitMs: 60_000, signal }).finally(ended);
  grow(8n);
  await Promise.resolve();
  expect(ended).not.toHaveBeenCalled();
  grow(10n);
  expect(await waiting).toBe(true);
  expect(listeners.size).toBe(0);
});

test('the wait ends with false after its time, and with the reason of an abort', async () => {
  const { chain, listeners } = growingChain(1n);
  expect(await reachHeight(chain, 2n, { waitMs: 1, signal })).toBe(false);
  const abort = new AbortController();
  const waiting = reachHeight(chain, 2n, { waitMs: 60_000, signal: abort.signal });
  abort.abort(new Error('closed'));
  await expect(waiting).rejects.toThrow('closed');
  expect(listeners.size).toBe(0);
});
