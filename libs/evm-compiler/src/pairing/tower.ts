import type { FunctionCode } from '../wasm/module.ts';
import { type Formula, type Place, pairBytes, type Triple, zero } from './formula.ts';

/** Bytes of an element of the extension of degree 12: `(a + b v + c v**2) + (d + e v + f v**2) w` with `w**2 = v`, `v**3 = 9 + u`. */
export const targetBytes = 6 * pairBytes;

/** Halves of the element at an offset from a parameter. */
export function halvesAt(base: string): readonly [Triple, Triple] {
  const at = (index: number) => ({ base, offset: index * pairBytes });
  return [
    [at(0), at(1), at(2)],
    [at(3), at(4), at(5)],
  ];
}

const each = [0, 1, 2] as const;

function addTriples(formula: Formula, to: Triple, a: Triple, b: Triple): void {
  for (const index of each) formula.add(to[index], a[index], b[index]);
}

function subtractTriples(formula: Formula, to: Triple, a: Triple, b: Triple): void {
  for (const index of each) formula.subtract(to[index], a[index], b[index]);
}

function reduceTriple(formula: Formula, triple: Triple): void {
  for (const place of triple) formula.reduce(place);
}

/** `to = v a + b` */
function shiftAndAdd(formula: Formula, to: Triple, a: Triple, b: Triple): void {
  formula.twistAndAdd(to[0], a[2], b[0]);
  formula.add(to[1], a[0], b[1]);
  formula.add(to[2], a[1], b[2]);
}

/** `(a + b) (c + d) - first - second`, with known products `first = a c` and `second = b d`. */
function crossProduct(formula: Formula, to: Place, [a, b]: Places, [c, d]: Places, [first, second]: Places): void {
  const sum = formula.temporary();
  formula.add(to, a, b);
  formula.add(sum, c, d);
  formula.multiply(to, to, sum);
  formula.subtract(to, to, first);
  formula.subtract(to, to, second);
}
type Places = readonly [Place, Place];

/** `to = a b`, by Karatsuba's method. `to` is neither `a` nor `b`. */
export function multiplyTriples(formula: Formula, to: Triple, a: Triple, b: Triple): void {
  const [first, second, third] = formula.triple();
  formula.multiply(first, a[0], b[0]);
  formula.multiply(second, a[1], b[1]);
  formula.multiply(third, a[2], b[2]);
  crossProduct(formula, to[0], [a[1], a[2]], [b[1], b[2]], [second, third]);
  formula.twistAndAdd(to[0], to[0], first);
  crossProduct(formula, to[1], [a[0], a[1]], [b[0], b[1]], [first, second]);
  formula.twistAndAdd(to[1], third, to[1]);
  crossProduct(formula, to[2], [a[0], a[2]], [b[0], b[2]], [first, third]);
  formula.add(to[2], to[2], second);
}

/** `to = a (c + d v)`: five products. `to` is not `a`. */
function multiplySparse(formula: Formula, to: Triple, a: Triple, [c, d]: Places): void {
  const [first, second, sum] = formula.triple();
  formula.multiply(first, a[0], c);
  formula.multiply(second, a[1], d);
  formula.add(sum, a[1], a[2]);
  formula.multiply(to[0], sum, d);
  formula.subtract(to[0], to[0], second);
  formula.twistAndAdd(to[0], to[0], first);
  crossProduct(formula, to[1], [a[0], a[1]], [c, d], [first, second]);
  formula.add(sum, a[0], a[2]);
  formula.multiply(to[2], sum, c);
  formula.subtract(to[2], to[2], first);
  formula.add(to[2], to[2], second);
}

function fiveTriples(formula: Formula) {
  return [formula.triple(), formula.triple(), formula.triple(), formula.triple(), formula.triple()] as const;
}

/** `to = a b`. Parameters may be the same. */
export function multiplyTargets(formula: Formula): FunctionCode {
  const [[a, b], [c, d], [real, imaginary]] = [halvesAt('a'), halvesAt('b'), halvesAt('to')];
  const [first, second, left, right, cross] = fiveTriples(formula);
  multiplyTriples(formula, first, a, c);
  multiplyTriples(formula, second, b, d);
  addTriples(formula, left, a, b);
  addTriples(formula, right, c, d);
  multiplyTriples(formula, cross, left, right);
  reduceTriple(formula, first);
  reduceTriple(formula, second);
  subtractTriples(formula, cross, cross, first);
  subtractTriples(formula, imaginary, cross, second);
  shiftAndAdd(formula, real, second, first);
  return formula.done([...real, ...imaginary]);
}

/** `a = a**2`, as a complex number: two products of triples. */
export function squareTarget(formula: Formula): FunctionCode {
  const [a, b] = halvesAt('a');
  const [product, sum, other, square, shifted] = fiveTriples(formula);
  multiplyTriples(formula, product, a, b);
  reduceTriple(formula, product);
  addTriples(formula, sum, a, b);
  shiftAndAdd(formula, other, b, a);
  multiplyTriples(formula, square, sum, other);
  shiftAndAdd(formula, shifted, product, product);
  // a**2 + v b**2 = (a + b) (a + v b) - (v a b + a b)
  subtractTriples(formula, a, square, shifted);
  addTriples(formula, b, product, product);
  return formula.done([...a, ...b]);
}

/** `a = a (c + (d + e v) w)` for a line with three coefficients: 13 products instead of 18. */
export function multiplyByLine(formula: Formula, [c, d, e]: Triple): FunctionCode {
  const [a, b] = halvesAt('a');
  const [first, second, sum, cross] = fiveTriples(formula);
  const both = formula.temporary();
  for (const index of each) formula.multiply(first[index], a[index], c);
  multiplySparse(formula, second, b, [d, e]);
  reduceTriple(formula, second);
  addTriples(formula, sum, a, b);
  formula.add(both, c, d);
  multiplySparse(formula, cross, sum, [both, e]);
  subtractTriples(formula, cross, cross, first);
  subtractTriples(formula, b, cross, second);
  shiftAndAdd(formula, a, second, first);
  return formula.done([...a, ...b]);
}

/**
 * `a = a**2` for an element that the first part of the final exponentiation made unitary (Granger and Scott,
 * https://eprint.iacr.org/2009/565): nine squares.
 */
export function squareUnitary(formula: Formula): FunctionCode {
  const [[x0, x1, x2], [x3, x4, x5]] = halvesAt('a');
  const pairs = [
    [x4, x0],
    [x2, x3],
    [x5, x1],
  ] as const;
  const parts = pairs.map(([a, b]) => {
    const [sum, first, second, cross] = [...formula.triple(), formula.temporary()] as const;
    formula.add(sum, a, b);
    formula.square(first, a);
    formula.square(second, b);
    formula.square(cross, sum);
    formula.subtract(cross, cross, first);
    formula.subtract(cross, cross, second);
    formula.twistAndAdd(first, first, second);
    return { sum: first, cross };
  }) as [Part, Part, Part];
  const [{ sum: even0, cross: odd1 }, { sum: even1, cross: odd2 }, { sum: even2, cross: odd0 }] = parts;
  formula.twistAndAdd(odd0, odd0, zero);
  // 3 e - 2 x, and 3 o + 2 x
  for (const [place, part] of [
    [x0, even0],
    [x1, even1],
    [x2, even2],
  ] as const) {
    formula.subtract(place, part, place);
    formula.add(place, place, place);
    formula.add(place, place, part);
  }
  for (const [place, part] of [
    [x3, odd0],
    [x4, odd1],
    [x5, odd2],
  ] as const) {
    formula.reduce(part);
    formula.add(place, part, place);
    formula.add(place, place, place);
    formula.add(place, place, part);
  }
  return formula.done([x0, x1, x2, x3, x4, x5]);
}
interface Part {
  readonly sum: Place;
  readonly cross: Place;
}
