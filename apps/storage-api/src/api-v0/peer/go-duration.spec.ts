import { expect, test } from '@jest/globals';
import { cleanText } from './clean-text.ts';
import { goDuration } from './go-duration.ts';

test.each([
  [0, '0s'],
  [999, '999ns'],
  [1500, '1.5µs'],
  [1_193_520, '1.19352ms'],
  [1e9, '1s'],
  [63_500_000_000, '1m3.5s'],
  [3_600_000_000_000, '1h0m0s'],
])('goDuration prints %s nanoseconds as %s', (nanoseconds, text) => {
  expect(goDuration(nanoseconds)).toBe(text);
});

test('cleanText replaces control and format characters and keeps 128 characters', () => {
  expect(cleanText(' a\u001B[31m\u202Eb ')).toBe('a\uFFFD[31m\uFFFDb');
  expect([...cleanText('🙂'.repeat(10_000))]).toHaveLength(128);
});
