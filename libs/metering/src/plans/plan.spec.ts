import { describe, expect, test } from '@jest/globals';
import { defaultPlans, parsePlan, requirePlanMethod } from './plan.ts';

describe('parsePlan', () => {
  test('accepts a name with limits, and the default plans', () => {
    expect(parsePlan({ name: 'a', burst: 5, creditsPerDay: null })).toEqual({ name: 'a', title: 'a', burst: 5 });
    const priced = {
      name: 'b',
      title: 'B',
      pricePerMonth: 0,
      currency: 'EUR',
      stripePrice: 'price_1',
      isOffered: true,
    };
    expect(parsePlan(priced)).toEqual(priced);
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
    ['pricePerMonth', { name: 'a', pricePerMonth: 19.5, currency: 'EUR' }],
    ['pricePerMonth', { name: 'a', currency: 'EUR' }],
    ['currency', { name: 'a', pricePerMonth: 1900 }],
    ['currency', { name: 'a', pricePerMonth: 1900, currency: 'euro' }],
    ['stripePrice', { name: 'a', stripePrice: 'prod_1' }],
    ['isOffered', { name: 'a', isOffered: 'yes' }],
    ['requestsPerHour', { name: 'a', requestsPerHour: 1 }],
  ])('names the invalid field: %s', (field, value) => {
    expect(() => parsePlan(value)).toThrow(
      expect.objectContaining({
        code: 'PLAN_INVALID',
        message: expect.stringContaining(`${field}: `),
        details: { field },
      }),
    );
  });
});

test('requirePlanMethod allows the methods and prefixes that the plan lists, and refuses others', () => {
  const plan = parsePlan({ name: 'a', methods: ['eth_call', 'net_*'] });
  requirePlanMethod(plan, 'eth_call');
  requirePlanMethod(plan, 'net_version');
  requirePlanMethod(parsePlan({ name: 'a' }), 'anything');
  expect(() => requirePlanMethod(plan, 'eth_callMany')).toThrow(
    expect.objectContaining({ code: 'METHOD_NOT_IN_PLAN' }),
  );
});
