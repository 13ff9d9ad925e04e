import { loadSettings, singleProcess } from '@cairn/service-kit';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { settingsShape } from '../settings.ts';
import { Uploads } from './uploads.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Permits of a service, and uploads that end on request. */
function open(most: number, count = 1) {
  const settings = { ...loadSettings(settingsShape, { env: {} }), CAIRN_UPLOADS_MAX: most };
  const uploads = new Uploads(settings, { ...singleProcess, count });
  const ends: (() => void)[] = [];
  const begin = (account: string) => uploads.run(account, () => new Promise<void>((resolve) => ends.push(resolve)));
  /** Starts uploads until one is refused. Returns how many started, with the refusal. */
  const fill = async (account: string) => {
    const refusals: unknown[] = [];
    let count = 0;
    for (; count <= most && refusals.length === 0; count++) {
      begin(account).catch((error: unknown) => refusals.push(error));
      await jest.advanceTimersByTimeAsync(1_000);
    }
    return { count: count - refusals.length, refusal: refusals[0] };
  };
  return { uploads, ends, begin, fill };
}

test('an account takes at most as many upload permits as stay free', async () => {
  const { uploads, ends, fill } = open(64);
  expect(await fill('a')).toMatchObject({ count: 32, refusal: { status: 429, headers: { 'retry-after': '1' } } });
  expect(await fill('b')).toMatchObject({ count: 16 });
  expect(await fill('c')).toMatchObject({ count: 8 });
  expect(await fill('a')).toMatchObject({ count: 0 });
  expect(uploads.running).toBe(56);
  for (const end of ends) end();
  await turn();
  expect(uploads.running).toBe(0);
  expect(await fill('a')).toMatchObject({ count: 32 });
});

test('a service with one permit gives it to any account', async () => {
  const { fill } = open(1);
  expect(await fill('a')).toMatchObject({ count: 1 });
  expect(await fill('b')).toMatchObject({ count: 0 });
});

test('an upload waits until another one of its account ends', async () => {
  const { uploads, ends, begin, fill } = open(4);
  expect(await fill('a')).toMatchObject({ count: 2 });
  const waiting = begin('a');
  await turn();
  expect([uploads.running, ends.length]).toEqual([2, 2]);
  ends.shift()?.();
  await turn();
  expect([uploads.running, ends.length]).toEqual([2, 2]);
  for (const end of ends) end();
  await waiting;
  expect(uploads.running).toBe(0);
});

test('more uploads than permits do not wait', async () => {
  const { begin, fill } = open(2);
  expect(await fill('a')).toMatchObject({ count: 1 });
  const settled: string[] = [];
  for (const name of ['first', 'second', 'third']) begin('a').catch(() => settled.push(name));
  await turn();
  expect(settled).toEqual(['third']);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(settled).toEqual(['third', 'first', 'second']);
});

test('each of many processes has permits for connections that are not divided evenly', async () => {
  expect(await open(64, 2).fill('a')).toMatchObject({ count: 16 });
  expect(await open(64, 8).fill('a')).toMatchObject({ count: 8 });
  expect(await open(6, 2).fill('a')).toMatchObject({ count: 3 });
});
