import { expect, test } from '@jest/globals';
import { MigrationProgress } from './progress.ts';

const counts = (verified: number) => ({ verified, missing: 0, different: 0, refused: 0 });

test('the remaining time follows from the pins that this run has copied', () => {
  let now = 0;
  const progress = new MigrationProgress(() => now);
  // 1,000 pins are known from an earlier run.
  for (let copied = 0; copied < 10; copied++) progress.copied();
  now = 20_000;
  expect(progress.line(counts(1010))).toBe('1,010 pins: 1,010 verified, 0 missing, 0 different, 0 refused');
  progress.total = 1610;
  expect(progress.line(counts(1010))).toMatch(/^1,010 of 1,610 pins: .*; about 20 min left$/);
  progress.total = 1020;
  expect(progress.line(counts(1010))).toMatch(/; about 20 s left$/);
  progress.total = 10_010;
  expect(progress.line(counts(1010))).toMatch(/; about 5 h 0 min left$/);
});

test('no time is estimated before three pins', () => {
  const progress = new MigrationProgress(() => 0);
  progress.total = 5;
  progress.copied();
  expect(progress.line(counts(1))).not.toContain('left');
});
