import { expect, test } from '@jest/globals';
import { modeOfFileMode, parsePartMetadata } from './part-metadata.ts';

// Recorded from Kubo 0.42.0 with preserve-mode and preserve-mtime.
test.each([
  ['mode=0644', { fileMode: 0o644, mtime: { seconds: 0 } }],
  ['mode=020000000755&mtime=7', { fileMode: 0o20000000755, mtime: { seconds: 7 } }],
  ['mode=01000000777', { fileMode: 0o1000000777, mtime: { seconds: 0 } }],
  ['mode=9', { fileMode: 0, mtime: { seconds: 0 } }],
  ['mtime=x', { fileMode: 0 }],
  ['mtime=5&mtime-nsecs=7', { fileMode: 0, mtime: { seconds: 5, nanoseconds: 7 } }],
  ['mtime=5&mtime-nsecs=7000000000', { fileMode: 0, mtime: { seconds: 12 } }],
  ['mtime=-5&mtime-nsecs=-7', { fileMode: 0, mtime: { seconds: -6, nanoseconds: 999_999_993 } }],
  ['mtime-nsecs=1', { fileMode: 0, mtime: { seconds: 0, nanoseconds: 1 } }],
  ['mtime=1;mode=1', { fileMode: 0 }],
])('parsePartMetadata reads %s', (query, expected) => {
  expect(parsePartMetadata(query)).toEqual(expected);
});

test('parsePartMetadata refuses a time that no number holds exactly', () => {
  expect(() => parsePartMetadata('mtime=9223372036854775807')).toThrow(expect.objectContaining({ status: 400 }));
});

test.each([
  [0o20000000755, 0o755],
  [0o1000000777, 0o777],
  [0o1777, 0o777],
  [2 ** 20 + 0o755, 0o1755],
  [2 ** 22 + 2 ** 23 + 0o755, 0o6755],
  [2 ** 31, 0],
])('modeOfFileMode keeps the permission bits of %d', (fileMode, mode) => {
  expect(modeOfFileMode(fileMode)).toBe(mode);
});
