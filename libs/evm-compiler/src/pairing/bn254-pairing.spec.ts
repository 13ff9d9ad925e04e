import { describe, expect, test } from '@jest/globals';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { Bn254Pairing } from './bn254-pairing.ts';
import { modulus } from './field.ts';
import type { PointPair } from './point-pair.ts';

const pairing = new Bn254Pairing();
const order = bn254.fields.Fr.ORDER;
type Point = typeof bn254.G2.Point.BASE;

const p = (factor: bigint): PointPair['p'] => {
  const { x, y } = bn254.G1.Point.BASE.multiply(factor).toAffine();
  return [x, y];
};
const coordinates = (point: Point): PointPair['q'] => {
  const { x, y } = point.toAffine();
  return [
    [x.c0, x.c1],
    [y.c0, y.c1],
  ];
};
const q = (factor: bigint) => coordinates(bn254.G2.Point.BASE.multiply(factor));
const inverseOf = (factor: bigint) => (order - (factor % order)) % order;
const factor = fc.bigInt({ min: 1n, max: order - 1n });

describe('isProductOne', () => {
  test('is bilinear: e(aP, bQ) e(-abP, Q) is one, and no other multiple of P gives one', () => {
    fc.assert(
      fc.property(factor, factor, factor, (a, b, other) => {
        const left = { p: p(a), q: q(b) };
        const product = inverseOf(a * b);
        expect(pairing.isProductOne([left, { p: p(product), q: q(1n) }])).toBe(true);
        expect(pairing.isProductOne([left, { p: p(other), q: q(1n) }])).toBe(other === product);
      }),
      { numRuns: 20 },
    );
  });

  test('is true for no pair and false for one pair', () => {
    expect(pairing.isProductOne([])).toBe(true);
    expect(pairing.isProductOne([{ p: p(1n), q: q(1n) }])).toBe(false);
  });

  test.each([1, 8, 9, 64, 65, 130])(
    'multiplies %i pairs with as many points of G2, also when their lines are known',
    (count) => {
      const pairs = Array.from({ length: count }, (_, index) => ({ p: p(BigInt(index + 1)), q: q(BigInt(index + 7)) }));
      const sum = pairs.reduce((total, _, index) => total + BigInt(index + 1) * BigInt(index + 7), 0n);
      const last = { p: p(inverseOf(sum)), q: q(1n) };
      for (const round of [1, 2, 3]) {
        expect([round, pairing.isProductOne([...pairs, last])]).toEqual([round, true]);
        expect([round, pairing.isProductOne(pairs)]).toEqual([round, false]);
      }
    },
  );

  test('uses the lines of a point for other points of G1, also twice in one product', () => {
    for (const a of [3n, 5n, 11n])
      expect(
        pairing.isProductOne([
          { p: p(a), q: q(2n) },
          { p: p(a + 1n), q: q(2n) },
          { p: p(inverseOf(2n * a + 1n)), q: q(2n) },
        ]),
      ).toBe(true);
  });
});

describe('isInSubgroup', () => {
  /** Order of the curve of G2 divided by that of the subgroup. */
  const cofactor = 2n * modulus - order;
  const times = (point: Point, number: bigint) => {
    let [sum, power] = [bn254.G2.Point.ZERO, point];
    for (let rest = number; rest > 0n; rest >>= 1n) {
      if (rest & 1n) sum = sum.add(power);
      power = power.double();
    }
    return sum;
  };
  const field = bn254.fields.Fp2;
  const outside = Array.from({ length: 40 }, (_, index) => field.fromBigTuple([BigInt(index), 1n])).flatMap((x) => {
    const square = field.add(field.mul(field.sqr(x), x), bn254.G2.Point.CURVE().b);
    try {
      return [bn254.G2.Point.fromAffine({ x, y: field.sqrt(square) })];
    } catch {
      return [];
    }
  });

  test('is true for multiples of the generator, and for other points times the cofactor', () => {
    fc.assert(
      fc.property(factor, (a) => expect(pairing.isInSubgroup(q(a))).toBe(true)),
      { numRuns: 20 },
    );
    for (const point of outside.slice(0, 5))
      expect(pairing.isInSubgroup(coordinates(times(point, cofactor)))).toBe(true);
  });

  test('is false for other points of the curve', () => {
    expect(outside.length).toBeGreaterThan(10);
    expect(outside.filter((point) => pairing.isInSubgroup(coordinates(point)))).toEqual([]);
    const sums = outside.map((point) => times(point, order).add(bn254.G2.Point.BASE));
    expect(sums.filter((point) => pairing.isInSubgroup(coordinates(point)))).toEqual([]);
  });

  // Sums in the check meet the same point twice, or the point at infinity.
  test.each([10069n, 5864401n, 10069n * 5864401n, 1875725156269n])(
    'is false for points whose order divides %i',
    (small) => {
      expect(cofactor % small).toBe(0n);
      const points = outside
        .map((point) => times(times(point, order), cofactor / small))
        .filter((point) => !point.is0());
      expect(points.length).toBeGreaterThan(0);
      for (const point of points)
        for (const multiple of [1n, 2n, 5n])
          expect(pairing.isInSubgroup(coordinates(times(point, multiple)))).toBe(false);
    },
  );
});
