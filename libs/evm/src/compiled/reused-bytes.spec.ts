import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ReusedBytes } from './reused-bytes.ts';

const memory = () => {
  const buffer = new ArrayBuffer(1024);
  return { bytes: new Uint8Array(buffer), integers: new Int32Array(buffer) };
};
const range = fc.record({
  from: fc.integer({ min: 0, max: 400 }),
  to: fc.integer({ min: 0, max: 400 }),
  length: fc.integer({ min: 0, max: 600 }),
});

test('a part of memory is copied, and copied back to another place, without a byte beside it', () => {
  const reused = new ReusedBytes();
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), (ranges) => {
      const source = memory();
      for (const index of source.bytes.keys()) source.bytes[index] = index % 251;
      for (const { from, to, length } of ranges) {
        const copy = reused.copyOf(source, from, length);
        expect(copy).toEqual(source.bytes.slice(from, from + length));
        const target = memory();
        reused.copyTo(target, to, copy);
        const expected = new Uint8Array(1024);
        expected.set(copy, to);
        expect(target.bytes).toEqual(expected);
      }
    }),
  );
});

test('arrays are used again for the same length only', () => {
  const reused = new ReusedBytes();
  const first = reused.copyOf(memory(), 0, 36);
  expect(reused.copyOf(memory(), 4, 32)).not.toBe(first);
  expect(reused.copyOf(memory(), 8, 36)).toBe(first);
});

test('copyTo takes bytes that are not a copy of its own', () => {
  const target = memory();
  new ReusedBytes().copyTo(target, 3, Uint8Array.of(1, 2, 3));
  expect(target.bytes.slice(2, 7)).toEqual(Uint8Array.of(0, 1, 2, 3, 0));
});
