import { describe, expect, test } from '@jest/globals';
import { temporaryDirectories } from '../temporary-directory.fixture.ts';
import { openLmdbPlanStore } from './lmdb-plan-store.ts';
import { defaultPlans, parsePlan, requirePlanMethod } from './plan.ts';

const directory = temporaryDirectories();

describe('parsePlan', () => {
  test('takes a name and limits, and the default plans', () => {
    expect(parsePlan({ name: 'a', burst: 5, creditsPerDay: null })).toEqual({ name: 'a', title: 'a', burst: 5 });
    for (const plan of defaultPlans) expect(parsePlan(plan)).toEqual(plan);
  });

  test.each([
    ['plan', 5],
    ['name', { name: 'A' }],
    ['title', { name: 'a', title: '' }],
    ['creditsPerDay', { name: 'a', creditsPerDay: 1.5 }],
    ['burst', { name: 'a', burst: 0 }],
    ['storedBytes', { name: 'a', storedBytes: '5' }],
    ['methods', { name: 'a', methods: ['eth call'] }],
    ['requestsPerHour', { name: 'a', requestsPerHour: 1 }],
  ])('names the field %s in what is wrong', (field, value) => {
    expect(() => parsePlan(value)).toThrow(
      expect.objectContaining({
        code: 'PLAN_INVALID',
        message: expect.stringContaining(`${field}: `),
        details: { field },
      }),
    );
  });
});

test('a plan opens the methods that it lists', () => {
  const plan = parsePlan({ name: 'a', methods: ['eth_call', 'net_*'] });
  requirePlanMethod(plan, 'eth_call');
  requirePlanMethod(plan, 'net_version');
  requirePlanMethod(parsePlan({ name: 'a' }), 'anything');
  expect(() => requirePlanMethod(plan, 'eth_callMany')).toThrow(
    expect.objectContaining({ code: 'METHOD_NOT_IN_PLAN' }),
  );
});

test('plans are kept; the first change keeps the default ones', async () => {
  const home = directory();
  const store = await openLmdbPlanStore({ directory: home });
  expect((await store.plans()).map(({ name }) => name)).toEqual(['free', 'local', 'team']);
  await store.put(parsePlan({ name: 'mine', creditsPerDay: 5 }));
  await store.remove('team');
  await expect(store.remove('team')).rejects.toMatchObject({ code: 'PLAN_NOT_FOUND' });
  await store.close();
  const again = await openLmdbPlanStore({ directory: home });
  expect((await again.plans()).map(({ name }) => name)).toEqual(['free', 'local', 'mine']);
  await again.close();
});
