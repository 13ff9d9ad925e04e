import { expect, test } from '@jest/globals';
import { chargesOf } from './charges.ts';

const day = 86_400_000;
const from = Date.UTC(2026, 10, 1);
const to = Date.UTC(2026, 11, 1);
const plans = [
  { name: 'free', title: 'Free' },
  { name: 'team', title: 'Team', pricePerMonth: 3000, currency: 'EUR' },
  { name: 'big', title: 'Big', pricePerMonth: 9000, currency: 'EUR' },
];

test('each plan is charged for its part of the month', () => {
  const changes = [
    { at: from + 20 * day, plan: 'big' },
    { at: from - 100 * day, plan: 'free' },
    { at: from + 10 * day, plan: 'team' },
  ];
  expect(chargesOf(changes, plans, { from, to, until: to })).toEqual([
    {
      ...{ plan: 'team', title: 'Team', amount: 1000, currency: 'EUR' },
      ...{ from: '2026-11-11T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' },
    },
    {
      ...{ plan: 'big', title: 'Big', amount: 3000, currency: 'EUR' },
      ...{ from: '2026-11-21T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
    },
  ]);
});

test('a running month is charged until now, a whole one in full, and unknown plans cost nothing', () => {
  const team = [{ at: 0, plan: 'team' }];
  expect(chargesOf(team, plans, { from, to, until: from + 3 * day })).toMatchObject([{ amount: 300 }]);
  expect(chargesOf(team, plans, { from, to, until: to })).toMatchObject([{ amount: 3000 }]);
  expect(chargesOf([{ at: 0, plan: 'gone' }], plans, { from, to, until: to })).toEqual([]);
  expect(chargesOf([], plans, { from, to, until: to })).toEqual([]);
});
