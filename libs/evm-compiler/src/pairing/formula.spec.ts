import { expect, test } from '@jest/globals';
import { Formula } from './formula.ts';

test('a sum that could exceed 32 bits is refused', () => {
  const formula = new Formula('sums', []);
  const [a, b, c] = formula.triple();
  formula.add(a, b, c);
  formula.add(a, a, a);
  formula.add(a, a, b);
  formula.add(a, a, b);
  expect(() => formula.add(a, a, a)).toThrow('sums: a sum exceeds its limbs. Reduce its terms before.');
  formula.add(a, a, b);
  expect(() => formula.add(a, a, b)).toThrow('Reduce its terms before.');
  formula.reduce(a);
  formula.add(a, a, b);
});

test('operands are reduced where a product could exceed 64 bits', () => {
  const written = (terms: number) => {
    const formula = new Formula('products', []);
    const [a, b, c] = formula.triple();
    formula.add(a, b, c);
    for (let term = 2; term < terms; term++) formula.add(a, a, b);
    formula.multiply(c, a, a);
    return formula.done([c]).body.length;
  };
  // The third term adds a sum and a reduction, the fifth one only a sum.
  expect(written(2)).toBeLessThan(written(3));
  expect(written(3) - written(2)).toBeGreaterThan(written(5) - written(4));
});

test('temporaries have a limit', () => {
  const formula = new Formula('large', []);
  expect(() => {
    for (let index = 0; index < 100; index++) formula.temporary();
  }).toThrow('large needs more than 80 temporaries.');
});
