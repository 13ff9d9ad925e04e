import { describe, expect, test } from '@jest/globals';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { elementBytes, limbBits, limbCount, modulo, modulus, readElement, writeElement } from './field.ts';
import { pairBytes } from './formula.ts';
import { addresses, createPairingModule } from './pairing-module.ts';
import { targetBytes } from './tower.ts';

const { functions, memory } = createPairingModule();
const { Fp12 } = bn254.fields;
type Target = typeof Fp12.ONE;
const [a, b, c] = [0, 1, 2].map((index) => addresses.targets + index * targetBytes) as [number, number, number];

const number = fc.oneof(fc.bigInt({ min: 0n, max: modulus - 1n }), fc.constantFrom(0n, 1n, modulus - 1n, modulus / 2n));
const target = fc
  .array(number, { minLength: 12, maxLength: 12 })
  .map((numbers) => Fp12.fromBigTwelve(numbers as unknown as Parameters<typeof Fp12.fromBigTwelve>[0]));
const numbersOf = ({ c0, c1 }: Target) =>
  [c0.c0, c0.c1, c0.c2, c1.c0, c1.c1, c1.c2].flatMap((pair) => [pair.c0, pair.c1]);
const write = (at: number, value: Target) => {
  for (const [index, each] of numbersOf(value).entries()) writeElement(memory, at + index * elementBytes, each);
};
const read = (at: number, count = 12) =>
  Array.from({ length: count }, (_, index) => readElement(memory, at + index * elementBytes));

describe('functions on elements of degree 12 agree with noble', () => {
  test.each<[string, number, () => void, (value: Target, other: Target) => Target]>([
    ['multiplyTargets', c, () => functions.multiplyTargets(c, a, b), (value, other) => Fp12.mul(value, other)],
    ['multiplyTargets in place', a, () => functions.multiplyTargets(a, a, a), (value) => Fp12.sqr(value)],
    ['squareTarget', a, () => functions.squareTarget(a), (value) => Fp12.sqr(value)],
    ['conjugateTarget', c, () => functions.conjugateTarget(c, a), (value) => Fp12.conjugate(value)],
    ['frobenius1', c, () => functions.frobenius1(c, a), (value) => Fp12.frobeniusMap(value, 1)],
    ['frobenius2', c, () => functions.frobenius2(c, a), (value) => Fp12.frobeniusMap(value, 2)],
    ['frobenius3', a, () => functions.frobenius3(a, a), (value) => Fp12.frobeniusMap(value, 3)],
  ])('%s', (_, to, run, expected) => {
    fc.assert(
      fc.property(target, target, (value, other) => {
        write(a, value);
        write(b, other);
        run();
        expect(read(to)).toEqual(numbersOf(expected(value, other)));
      }),
    );
  });

  test('squareUnitary, for elements that the final exponentiation made unitary', () => {
    fc.assert(
      fc.property(target, (value) => {
        fc.pre(!Fp12.is0(value));
        const first = Fp12.mul(Fp12.conjugate(value), Fp12.inv(value));
        const unitary = Fp12.mul(Fp12.frobeniusMap(first, 2), first);
        write(a, unitary);
        functions.squareUnitary(a);
        expect(read(a)).toEqual(numbersOf(Fp12.sqr(unitary)));
      }),
    );
  });
});

describe('products of elements whose limbs reach the bounds', () => {
  /** Limbs of up to `bound` times 2**28 and a value that stays below it. */
  const limbs = (bound: number) => {
    const limit = bound * 2 ** (limbBits - 1);
    const limb = fc.oneof(fc.constantFrom(-limit, limit - 1), fc.integer({ min: -limit, max: limit - 1 }));
    const last = fc.integer({ min: -bound * 2 ** 21, max: bound * 2 ** 21 });
    return fc.tuple(...Array.from({ length: limbCount }, (_, index) => (index < limbCount - 1 ? limb : last)));
  };
  const pair = (bound: number) => fc.tuple(limbs(bound), limbs(bound));
  const put = (at: number, parts: readonly (readonly number[])[]) => {
    for (const [index, part] of parts.entries()) memory.set(part, (at + index * elementBytes) / 4);
  };
  const inverse = modulo(readElement(memory, addresses.one));
  const product = ([r, i]: readonly bigint[], [s, t]: readonly bigint[]) => {
    const [ar, ai, br, bi] = [r, i, s, t] as [bigint, bigint, bigint, bigint];
    return [modulo((ar * br - ai * bi) * inverse), modulo((ar * bi + ai * br) * inverse)];
  };

  test.each([
    [6, 1],
    [1, 6],
    [2, 3],
    [2, 2],
  ])('multiply with %i and %i', (first, second) => {
    fc.assert(
      fc.property(pair(first), pair(second), (left, right) => {
        put(a, left);
        put(b, right);
        const expected = product(read(a, 2), read(b, 2));
        functions.multiply(c, a, b);
        expect(read(c, 2)).toEqual(expected);
        expect(Math.max(...memory.subarray(c / 4, (c + pairBytes) / 4).map(Math.abs))).toBeLessThanOrEqual(2 ** 28);
      }),
      { numRuns: 1000 },
    );
  });

  test('square with 2', () => {
    fc.assert(
      fc.property(pair(2), (parts) => {
        put(a, parts);
        const expected = product(read(a, 2), read(a, 2));
        functions.square(a, a);
        expect(read(a, 2)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('reduce and twistAndAdd with 7', () => {
    fc.assert(
      fc.property(pair(7), pair(7), (parts, others) => {
        put(a, parts);
        put(b, others);
        const [[r, i], [s, t]] = [read(a, 2), read(b, 2)] as [[bigint, bigint], [bigint, bigint]];
        functions.reduce(c, a);
        expect(read(c, 2)).toEqual([r, i]);
        functions.twistAndAdd(b, a, b);
        expect(read(b, 2)).toEqual([modulo(9n * r - i + s), modulo(9n * i + r + t)]);
      }),
      { numRuns: 1000 },
    );
  });
});
