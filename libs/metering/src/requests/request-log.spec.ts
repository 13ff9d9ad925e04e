import { expect, jest, test } from '@jest/globals';
import { RequestLog, requestLogLimits } from './request-log.ts';
import type { LoggedRequest, RequestLogStore } from './request-log-store.ts';

const entry = {
  operation: 'add',
  network: '',
  key: 'k',
  outcome: 'ok',
  durationMs: 2,
  credits: 1,
  requestId: 'r',
} as const;

function memory(append: RequestLogStore['append'] = async () => {}) {
  const stored = new Map<string, LoggedRequest[]>();
  const store: RequestLogStore = {
    async append(accountId, requests) {
      await append(accountId, requests);
      stored.set(accountId, [...(stored.get(accountId) ?? []), ...requests]);
    },
    async *chunks() {},
    async close() {},
  };
  return { stored, store };
}

test('requests are appended within a second, with time and service', async () => {
  jest.useFakeTimers();
  try {
    const { stored, store } = memory();
    const log = new RequestLog({ store, service: 's', now: () => 5 });
    log.record('a', entry);
    expect(stored.size).toBe(0);
    await jest.advanceTimersByTimeAsync(1000);
    expect(stored.get('a')).toEqual([{ ...entry, at: 5, service: 's' }]);
    await log.close();
  } finally {
    jest.useRealTimers();
  }
});

test('requests beyond the bound of an account are counted and not stored', async () => {
  const { stored, store } = memory();
  const log = new RequestLog({ store, service: 's', now: () => 5 });
  for (let n = 0; n < requestLogLimits.perAccount + 3; n++) log.record('a', entry);
  log.record('b', entry);
  await log.close();
  expect(stored.get('a')).toHaveLength(requestLogLimits.perAccount);
  expect(stored.get('a')?.at(-1)?.skipped).toBe(3);
  expect(stored.get('b')).toHaveLength(1);
});

test('many accounts cannot fill the memory', async () => {
  const { stored, store } = memory();
  const log = new RequestLog({ store, service: 's' });
  for (let n = 0; n < requestLogLimits.all + 500; n++) log.record(`account ${n % 400}`, entry);
  await log.close();
  const lists = [...stored.values()];
  expect(lists.reduce((sum, list) => sum + list.length, 0)).toBe(requestLogLimits.all);
  expect(lists.reduce((sum, list) => sum + (list.at(-1)?.skipped ?? 0), 0)).toBe(500);
});

test('a failed append is reported and does not stop the log', async () => {
  let fails = true;
  const errors: unknown[] = [];
  const { stored, store } = memory(async () => {
    if (fails) throw new Error('planted');
  });
  const log = new RequestLog({ store, service: 's', onError: (error) => errors.push(error) });
  log.record('a', entry);
  await log.flush();
  fails = false;
  log.record('a', { ...entry, requestId: 'second' });
  await log.close();
  expect(errors).toHaveLength(1);
  expect(stored.get('a')?.map(({ requestId }) => requestId)).toEqual(['second']);
});
