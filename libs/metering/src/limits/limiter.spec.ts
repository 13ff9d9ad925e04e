import { isCairnError } from '@cairn/errors';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openLmdbPlanStore } from '../plans/lmdb-plan-store.ts';
import { type Plan, parsePlan } from '../plans/plan.ts';
import type { PlanStore } from '../plans/plan-store.ts';
import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import type { LimitStore } from './limit-store.ts';
import { Limiter } from './limiter.ts';
import { openLmdbLimitStore } from './lmdb-limit-store.ts';

const directory = temporaryDirectories();
const account = { id: 'acc_1', plan: 'small' };
let now: number;
let plans: PlanStore;
let store: LimitStore;
let limiters: Limiter[];

beforeEach(async () => {
  now = Date.UTC(2026, 1, 3, 10);
  plans = await openLmdbPlanStore({ directory: directory() });
  store = await openLmdbLimitStore({ directory: directory(), now: () => now });
  limiters = [];
});
afterEach(async () => {
  for (const limiter of limiters) await limiter.close();
  await plans.close();
  await store.close();
});

/** Starts `count` limiters over one store, as `count` processes do. */
async function start(limits: Omit<Partial<Plan>, 'name'>, count = 1): Promise<readonly Limiter[]> {
  await plans.put(parsePlan({ name: 'small', ...limits }));
  for (let made = 0; made < count; made++) limiters.push(await begin('storage-api'));
  return limiters;
}

/** Starts a limiter as a process of this service does. */
function begin(service: string): Promise<Limiter> {
  return Limiter.start({ store, plans, service, now: () => now });
}

/** Sends `count` requests spread over all processes, and returns how many are admitted. */
async function admitted(count: number, credits = 1): Promise<number> {
  const results = await Promise.allSettled(
    Array.from({ length: count }, async (_, index) => limiters[index % limiters.length]?.of(account).admit(credits)),
  );
  for (const result of results) {
    if (result.status === 'rejected') expect(isCairnError(result.reason, 'LIMIT_REACHED')).toBe(true);
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

test('a refusal ends on time after the clock is set back', async () => {
  await start({ requestsPerSecond: 10, burst: 10, concurrentRequests: 1 });
  const limits = limiters[0]?.of(account);
  expect(await admitted(20)).toBe(10);
  await limits?.enter();
  await expect(limits?.enter()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  limits?.leave();
  now -= 86_400_000;
  // The bucket starts to refill from the earlier time once it sees that time.
  expect(await admitted(1)).toBe(0);
  now += 1000;
  expect(await admitted(20)).toBe(10);
  await limits?.enter();
});

describe('requestsPerSecond', () => {
  test('several processes together admit one burst, then the rate', async () => {
    await start({ requestsPerSecond: 10, burst: 30 }, 3);
    expect(await admitted(100)).toBe(30);
    now += 500;
    expect(await admitted(100)).toBe(5);
    now += 60_000;
    expect(await admitted(100)).toBe(30);
  });

  test('holdCredits reserves credits until they are released; a release on the next day has no effect', async () => {
    const [limiter] = await start({ creditsPerDay: 100 });
    const limits = limiter?.of(account);
    const release = await limits?.holdCredits(80);
    await expect(limits?.holdCredits(80)).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      details: { limit: 'creditsPerDay' },
    });
    release?.();
    const late = await limits?.holdCredits(80);
    now += 86_400_000;
    await limits?.takeCredits(60);
    late?.();
    await expect(async () => limits?.takeCredits(60)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    await limits?.takeCredits(40);
  });

  test('requireRequest takes nothing, and refuses if requests or credits are used up', async () => {
    const [limiter] = await start({ requestsPerSecond: 1, burst: 2, creditsPerDay: 10 });
    const limits = limiter?.of(account);
    for (let n = 0; n < 10; n++) await limits?.requireRequest(10);
    const refusal = (limit: string) =>
      expect.objectContaining({ code: 'LIMIT_REACHED', details: expect.objectContaining({ limit }) });
    await expect(limits?.requireRequest(11)).rejects.toEqual(refusal('creditsPerDay'));
    expect(await admitted(3)).toBe(2);
    await expect(limits?.requireRequest(1)).rejects.toEqual(refusal('requestsPerSecond'));
  });

  test('LIMIT_REACHED names the limit, its use and when to retry', async () => {
    const [limiter] = await start({ requestsPerSecond: 1, burst: 2 });
    await admitted(2);
    await expect(limiter?.of(account).admit(1)).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringContaining('1 requests a second'),
      details: { limit: 'requestsPerSecond', allowed: 1, used: 2, plan: 'small', retryAfterSeconds: 1 },
    });
  });

  test('accounts have separate limits', async () => {
    const [limiter] = await start({ requestsPerSecond: 1, burst: 1 });
    await admitted(1);
    await limiter?.of({ id: 'acc_2', plan: 'small' }).admit(1);
  });
});

describe('creditsPerDay', () => {
  test('several processes together admit the daily credits, then none before midnight UTC', async () => {
    await start({ creditsPerDay: 1000 }, 2);
    expect(await admitted(200, 10)).toBe(100);
    now = Date.UTC(2026, 1, 4);
    expect(await admitted(200, 10)).toBe(100);
  });

  test('a charge after a request counts against the next request', async () => {
    const [limiter] = await start({ creditsPerDay: 1000 });
    const limits = limiter?.of(account);
    await limits?.admit(20);
    await limits?.requireCredits();
    limits?.charge(2000);
    await expect(limits?.requireCredits()).rejects.toMatchObject({ details: { limit: 'creditsPerDay' } });
    await expect(limits?.admit(1)).rejects.toMatchObject({
      details: { limit: 'creditsPerDay', retryAfterSeconds: 14 * 3600 },
    });
  });
});

test('a free request of an account in debt does not refuse the next one', async () => {
  const [limiter] = await start({ requestsPerSecond: 10, creditsPerDay: 10_000 });
  const limits = limiter?.of(account);
  await limits?.admit(5);
  limits?.charge(50);
  await Promise.all([limits?.admit(0), limits?.admit(5)]);
});

test('requireBytes refuses used-up bytes until the day ends', async () => {
  const [limiter] = await start({ bytesInPerDay: 100 });
  const limits = limiter?.of(account);
  await limits?.requireBytes();
  limits?.chargeBytes(100, 5);
  await expect(limits?.requireBytes()).rejects.toMatchObject({ details: { limit: 'bytesInPerDay', allowed: 100 } });
  now += 24 * 3_600_000;
  await limits?.requireBytes();
});

test('the first request of a process asks for its permit and its four lots in parallel', async () => {
  const shared = store;
  const rounds: number[] = [];
  let asked: (() => void)[] = [];
  const answer = () => {
    rounds.push(asked.length);
    for (const resolve of asked) resolve();
    asked = [];
  };
  const nextRound = () =>
    new Promise<void>((resolve) => {
      if (asked.push(resolve) === 1) setImmediate(answer);
    });
  store = {
    take: async (requests) => {
      await nextRound();
      return await shared.take(requests);
    },
    hold: async (request) => {
      await nextRound();
      return await shared.hold(request);
    },
    close: () => shared.close(),
  };
  const daily = { creditsPerDay: 10_000, bytesInPerDay: 10_000, bytesOutPerDay: 10_000 };
  const [limiter] = await start({ requestsPerSecond: 10, concurrentRequests: 10, ...daily });
  const limits = limiter?.of(account);
  await limits?.enter();
  await limits?.admit(5);
  await limits?.requireBytes();
  expect(rounds).toEqual([5]);
});

describe('concurrentRequests', () => {
  test('several processes together never exceed the limit', async () => {
    await start({ concurrentRequests: 7 }, 3);
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, async (_, index) => limiters[index % 3]?.of(account).enter()),
    );
    const entered = results.filter(({ status }) => status === 'fulfilled').length;
    // A process may hold permits that it does not use, so that others get fewer. 5 of 7 is the lower bound.
    expect(entered).toBeGreaterThanOrEqual(5);
    expect(entered).toBeLessThanOrEqual(7);
  });

  test('concurrent requests get all permits of the plan', async () => {
    const [limiter] = await start({ concurrentRequests: 2 });
    const limits = limiter?.of(account);
    await Promise.all([limits?.enter(), limits?.enter()]);
    await expect(limits?.enter()).rejects.toMatchObject({ details: { used: 2 } });
  });

  test('calls that use all permits of one service leave those of another free', async () => {
    const [storage] = await start({ concurrentRequests: 2 });
    const gateway = await begin('rpc-gateway');
    limiters.push(gateway);
    const calls = gateway.of(account);
    await Promise.all([calls.enter(), calls.enter()]);
    await expect(calls.enter()).rejects.toMatchObject({
      message:
        'The limit concurrentRequests of the plan "small" is reached: 2 requests at the same time to rpc-gateway.',
      hint: 'Wait until one of them has ended and try again in 1 s, or use a larger plan.',
      details: { limit: 'concurrentRequests', allowed: 2, used: 2, service: 'rpc-gateway' },
    });
    await storage?.of(account).enter();
    await storage?.of(account).enter();
  });

  test('requests that a service pays for take no permit of the account', async () => {
    const [limiter] = await start({ concurrentRequests: 1, creditsPerDay: 1, requestsPerSecond: 1, burst: 1 });
    const limits = limiter?.unlimited({ id: 'console' });
    for (let count = 0; count < 5; count++) {
      await limits?.enter();
      await limits?.admit(1);
    }
    await limiter?.of(account).enter();
    expect(await admitted(1)).toBe(1);
  });

  test('a released permit can be acquired again', async () => {
    const [limiter] = await start({ concurrentRequests: 1 });
    const limits = limiter?.of(account);
    for (let round = 0; round < 5; round++) {
      await limits?.enter();
      await expect(limits?.enter()).rejects.toMatchObject({ details: { limit: 'concurrentRequests', used: 1 } });
      limits?.leave();
      now += 200;
    }
  });
});

describe('plans', () => {
  test('a changed plan takes effect for accounts already in memory', async () => {
    const [limiter] = await start({ requestsPerSecond: 1, burst: 1 });
    await admitted(1);
    await plans.put(parsePlan({ name: 'small', requestsPerSecond: 100, burst: 100 }));
    while (limiter?.plan('small').burst !== 100) await new Promise((resolve) => setTimeout(resolve, 20));
    now += 1000;
    expect(await admitted(200)).toBe(100);
  });

  test('accounts of a missing plan get the fallback plan, and nothing if that is missing too', async () => {
    const [limiter] = await start({});
    expect(limiter?.of({ id: 'x', plan: 'gone' }).plan.name).toBe('free');
    await plans.remove('free');
    while (limiter?.plan('gone').name !== 'none') await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(limiter?.of({ id: 'x', plan: 'gone' }).admit(1)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test('a plan without limits admits everything and has empty header fields', async () => {
    const [limiter] = await start({});
    const limits = limiter?.of(account);
    expect(limits?.admit(1_000_000_000)).toBeUndefined();
    expect(limits?.enter()).toBeUndefined();
    expect([limits?.policy, limits?.rateLimit]).toEqual(['', '']);
  });
});

test('RateLimit-Policy states the quotas, RateLimit the remaining requests and credits', async () => {
  const [limiter] = await start({ requestsPerSecond: 10, burst: 30, creditsPerDay: 5000 });
  const limits = limiter?.of(account);
  expect(limits?.policy).toBe('"requests";q=30;w=3, "credits";q=5000;w=86400');
  await limits?.admit(100);
  expect(limits?.rateLimit).toBe('"requests";r=29;t=1, "credits";r=4900;t=50400');
});

test.each([
  ['', () => {}],
  [
    ' while reading the plans fails',
    () => {
      plans.plans = () => Promise.reject(new Error('The plans cannot be read.'));
    },
  ],
  [
    ' while reading the plans does not end',
    () => {
      plans.plans = () => new Promise(() => {});
    },
  ],
])('unused tokens of a lot return to the shared counter%s', async (_, interrupt) => {
  const [one] = await start({ creditsPerDay: 100_000 }, 2);
  interrupt();
  await one?.of(account).admit(1);
  now += 1000;
  const left = async () => {
    const [taken] = await store.take([
      {
        key: `${account.id}\0credits`,
        rule: { kind: 'window', limit: 100_000, seconds: 86_400 },
        min: 0,
        want: 0,
      },
    ]);
    return taken?.remaining;
  };
  while ((await left()) !== 99_999) await new Promise((resolve) => setTimeout(resolve, 20));
});
