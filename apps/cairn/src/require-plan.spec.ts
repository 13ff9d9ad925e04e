import { defaultPlans } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import { requirePlan, requireRemovable } from './require-plan.ts';

test('a plan that does not exist is refused with the plans that do', () => {
  requirePlan(defaultPlans, 'team');
  expect(() => requirePlan(defaultPlans, 'nope')).toThrow('There is no plan "nope"; there are free, team, local.');
});

test('the plan of accounts without a plan cannot be removed', () => {
  requireRemovable('team');
  expect(() => requireRemovable('free')).toThrow(expect.objectContaining({ code: 'PLAN_REQUIRED' }));
});
