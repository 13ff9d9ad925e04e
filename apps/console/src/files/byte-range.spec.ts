import { expect, test } from '@jest/globals';
import { byteRange } from './byte-range.ts';

test.each([
  ['bytes=0-9', { offset: 0, length: 10, contentRange: 'bytes 0-9/100' }],
  ['bytes=90-', { offset: 90, length: 10, contentRange: 'bytes 90-99/100' }],
  ['bytes=-5', { offset: 95, length: 5, contentRange: 'bytes 95-99/100' }],
  ['bytes=90-500', { offset: 90, length: 10, contentRange: 'bytes 90-99/100' }],
  ['bytes=0-1,50-51', undefined],
  ['lines=0-1', undefined],
  ['bytes', undefined],
])('%s', (header, expected) => {
  expect(byteRange(header, 100)).toEqual(expected);
});

test('a range after the end is refused with the size', () => {
  expect(() => byteRange('bytes=100-', 100)).toThrow(
    expect.objectContaining({ code: 'RANGE_INVALID', details: { size: 100 } }),
  );
});
