import { readiness } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { lagOf } from './lag-dependencies.ts';

const heads = [
  { network: 'imported', head: 24, lag: undefined },
  { network: 'current', head: 100, lag: 0 },
  { network: 'behind', head: 90, lag: 10 },
];

test('/readyz states the lag of followed networks and stays ready without a limit', () => {
  expect(readiness(lagOf(heads))).toEqual({
    status: 'ok',
    dependencies: { 'network current': 'ok', 'network behind': 'at block 90, 10 blocks behind its source' },
  });
  expect(readiness(lagOf(heads, 10)).status).toBe('ok');
});

test('a lag beyond the limit makes the service unavailable and names the network', () => {
  expect(readiness(lagOf(heads, 9))).toMatchObject({
    status: 'unavailable',
    reason: 'the network behind is at block 90, 10 blocks behind its source; at most 9 are allowed',
  });
});
