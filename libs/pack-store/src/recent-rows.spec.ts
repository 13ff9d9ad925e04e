import { expect, test } from '@jest/globals';
import type { BlockRow } from './index/block-rows.ts';
import { packLimits } from './limits.ts';
import { RecentRows } from './recent-rows.ts';

const row = { pack: 'packs/a.car', start: 1, length: 2, is_quarantined: false } as BlockRow;

test('a row is kept for its time, without quarantined ones, and not beyond the limit of rows', () => {
  let now = 0;
  const rows = new RecentRows(500, () => now);
  rows.keep('a', row, rows.forgotten);
  rows.keep('corrupt', { ...row, is_quarantined: true }, rows.forgotten);
  now = 499;
  expect([rows.get('a'), rows.get('corrupt'), rows.get('b')]).toEqual([row, undefined, undefined]);
  now = 500;
  expect(rows.get('a')).toBeUndefined();
  for (let n = 0; n <= packLimits.recentRowsMax; n++) rows.keep(String(n), row, rows.forgotten);
  expect([rows.get('0'), rows.get('1')]).toEqual([undefined, row]);
});

test('a block that was removed during its lookup is not kept', () => {
  const rows = new RecentRows(500);
  const before = rows.forgotten;
  rows.forget(['other']);
  rows.keep('a', row, before);
  expect(rows.get('a')).toBeUndefined();
  rows.keep('a', row, rows.forgotten);
  rows.forget(['a']);
  expect(rows.get('a')).toBeUndefined();
});

test('no row is kept without an age', () => {
  const rows = new RecentRows(0);
  rows.keep('a', row, rows.forgotten);
  expect(rows.get('a')).toBeUndefined();
});
