import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { commonPrefixBits, compareDistance, isInRegion, regionEnd, regionOf, siblingOf } from './keyspace.ts';
import { nextSlot } from './slot.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const bits = fc.integer({ min: 0, max: 256 });

test('a region contains exactly the keys between its start and its end', () => {
  fc.assert(
    fc.property(key, key, bits, (a, b, count) => {
      const region = regionOf(a, count);
      expect(isInRegion(a, region)).toBe(true);
      const end = regionEnd(region);
      const isBetween =
        Buffer.compare(b, region.start) >= 0 && (end === undefined || Buffer.compare(Buffer.from(b), end) < 0);
      expect(isInRegion(b, region)).toBe(isBetween);
    }),
  );
});

test('a sibling shares all bits of the prefix but the last one', () => {
  fc.assert(
    fc.property(key, fc.integer({ min: 1, max: 256 }), (a, count) => {
      expect(commonPrefixBits(a, siblingOf(a, count).start)).toBe(count - 1);
    }),
  );
});

test('keys with more common bits are closer', () => {
  fc.assert(
    fc.property(key, key, key, (target, a, b) => {
      const [near, far] = [commonPrefixBits(target, a), commonPrefixBits(target, b)];
      fc.pre(near !== far);
      expect(compareDistance(target, a, b) < 0).toBe(near > far);
    }),
  );
});

test('the next slot is after half an interval, at most one and a half, and repeats every interval', () => {
  const time = fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 });
  fc.assert(
    fc.property(
      time,
      fc.integer({ min: 1000, max: 1e9 }),
      key,
      fc.integer({ min: 4, max: 32 }),
      (now, ms, a, count) => {
        const next = nextSlot(now, ms, a, count);
        expect(next).toBeGreaterThan(now + Math.floor(ms / 2) - 1);
        expect(next).toBeLessThanOrEqual(now + Math.ceil(ms * 1.5));
        expect(nextSlot(next, ms, a, count)).toBe(next + ms);
      },
    ),
  );
});
