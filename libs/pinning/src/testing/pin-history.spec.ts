import { expect, test } from '@jest/globals';
import { isLinearizable, type PinCall, type RecordedCall } from './pin-history.ts';

const call = (from: number, to: number, result: string, what: PinCall): RecordedCall => ({
  call: what,
  result,
  from,
  to,
});
const put = (root: string, bytes: number, bytesMax = 100, account = 'a'): PinCall => ({
  ...{ kind: 'put', account, root, bytes, bytesMax },
});
const usage: PinCall = { kind: 'usage', account: 'a' };
const remove = (...roots: string[]): PinCall => ({ kind: 'remove', account: 'a', roots });

test('histories that some order explains are accepted', () => {
  const overlapping = [
    call(0, 5, 'done', put('x', 60)),
    call(1, 3, 'QUOTA_EXCEEDED', put('y', 60)),
    call(2, 4, '0 0', usage),
  ];
  // The refusal needs the first pin before it, and the usage is read before both.
  expect(isLinearizable(overlapping)).toBe(true);
  const twice = [
    call(0, 1, 'done', put('x', 5)),
    call(2, 5, 'done', remove('x')),
    call(3, 4, 'PIN_NOT_FOUND', remove('x')),
  ];
  expect(isLinearizable(twice)).toBe(true);
});

test.each([
  ['two pins beyond the quota', [call(0, 3, 'done', put('x', 60)), call(1, 2, 'done', put('y', 60))]],
  ['a refusal although the quota has room', [call(0, 1, 'QUOTA_EXCEEDED', put('x', 60))]],
  ['a usage that misses a pin that ended before', [call(0, 1, 'done', put('x', 60)), call(2, 3, '0 0', usage)]],
  ['a usage that sees a pin that begins after it', [call(0, 1, '1 60', usage), call(2, 3, 'done', put('x', 60))]],
  [
    'a pin that is removed twice',
    [call(0, 1, 'done', put('x', 5)), call(2, 5, 'done', remove('x')), call(3, 4, 'done', remove('x'))],
  ],
  [
    'a removal of half of its pins',
    [call(0, 1, 'done', put('x', 5)), call(2, 3, 'PIN_NOT_FOUND', remove('x', 'y')), call(4, 5, '0 0', usage)],
  ],
  [
    'two reads that see two pins in different orders',
    [
      call(0, 9, 'done', put('x', 1)),
      call(1, 10, 'done', put('y', 2)),
      call(2, 3, '1 1', usage),
      call(4, 5, '1 2', usage),
    ],
  ],
  [
    'a known root that no account pins',
    [call(0, 1, 'done', { kind: 'putKnownRoot', account: 'b', root: 'x', bytesMax: 100 })],
  ],
  [
    'a gap in which no account pins a known root',
    [
      call(0, 1, 'done', put('x', 5)),
      call(2, 8, 'done', remove('x')),
      call(3, 7, 'done', { kind: 'putKnownRoot', account: 'b', root: 'x', bytesMax: 100 }),
      call(4, 5, 'false', { kind: 'isPinned', root: 'x' }),
    ],
  ],
])('%s is rejected', (_, history) => {
  expect(isLinearizable(history)).toBe(false);
});
