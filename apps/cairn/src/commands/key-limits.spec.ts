import { expect, test } from '@jest/globals';
import { parseExpiry } from './key-limits.ts';

const now = Date.parse('2026-11-28T12:00:00Z');

test.each([
  ['30d', now + 30 * 86_400_000],
  ['12h', now + 12 * 3_600_000],
  ['2027-01-31', Date.parse('2027-01-31')],
  ['2028-02-29T10:00:00Z', Date.parse('2028-02-29T10:00:00Z')],
])('%s is an expiry', (text, expected) => {
  expect(parseExpiry(text, now)).toBe(expected);
});

test.each(['0h', '0d', '2026-11-28', '2027-02-31', '2027-02-29', '2027-13-01', 'soon', ''])('%j is refused', (text) => {
  expect(() => parseExpiry(text, now)).toThrow(/a time in the future/);
});
