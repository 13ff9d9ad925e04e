import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type LoggedRequest,
  loggedRequestsKept,
  type RequestLogStore,
  requestsPerChunk,
} from '../requests/request-log-store.ts';

/** Creates a logged request. */
function loggedRequest(number: number, more: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    at: 1_700_000_000_000 + number,
    service: 'rpc-gateway',
    operation: 'eth_call',
    network: 'main',
    key: 'k',
    outcome: 'ok',
    durationMs: 1.25,
    credits: 20,
    requestId: `r${number}`,
    ...more,
  };
}

/**
 * Contract suite of every {@link RequestLogStore}.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeRequestLogStore(name: string, create: () => Promise<() => Promise<RequestLogStore>>): void {
  describe(`${name} as a RequestLogStore`, () => {
    let store: RequestLogStore;
    let other: RequestLogStore;
    beforeEach(async () => {
      const open = await create();
      store = await open();
      other = await open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });
    const listed = async (accountId = 'a', from = store) => {
      const found: LoggedRequest[] = [];
      for await (const chunk of from.chunks(accountId)) found.push(...chunk);
      return found;
    };
    const numbered = (from: number, count: number) => Array.from({ length: count }, (_, n) => loggedRequest(from + n));

    test('chunks yields what append stored, newest first, with all fields', async () => {
      const full = loggedRequest(2, {
        outcome: 'limited',
        error: '-32005',
        limit: 'requestsPerSecond',
        origin: 'https://app.example',
        skipped: 7,
      });
      await store.append('a', [loggedRequest(1), full]);
      await other.append('a', [loggedRequest(3)]);
      expect(await listed()).toEqual([loggedRequest(3), full, loggedRequest(1)]);
    });

    test('accounts whose names begin alike are separate', async () => {
      await store.append('a', numbered(0, 2));
      await store.append('ab', numbered(10, 3));
      expect(await listed('a')).toHaveLength(2);
      expect(await listed('ab')).toHaveLength(3);
      expect(await listed('none')).toEqual([]);
    });

    test('append keeps the newest requests and at most one chunk more', async () => {
      await store.append('b', numbered(0, 5));
      let next = 0;
      for (const count of [1, 99, 100, 101, 4000, 7000, 250]) {
        await (next % 2 === 0 ? store : other).append('a', numbered(next, count));
        next += count;
      }
      const found = await listed();
      expect(found.length).toBeGreaterThanOrEqual(loggedRequestsKept);
      expect(found.length).toBeLessThanOrEqual(loggedRequestsKept + requestsPerChunk);
      expect(found.map(({ requestId }) => requestId)).toEqual(found.map((_, n) => `r${next - 1 - n}`));
      expect(await listed('b')).toHaveLength(5);
    });

    test('concurrent appends of two processes lose nothing', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? store : other).append('a', numbered(n * 30, 30))),
      );
      const found = await listed('a', other);
      expect(new Set(found.map(({ requestId }) => requestId)).size).toBe(600);
    });
  });
}
