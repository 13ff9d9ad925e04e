import type { FunctionCode } from '../wasm/module.ts';
import { elementBytes } from './field.ts';
import { Formula, type Place, pairBytes, type Triple, zero } from './formula.ts';
import type { ImageFactors } from './subgroup.ts';

/** Offsets in the record of a pair of points, which is the parameter `pair`. */
export const record = {
  /** Multiple of Q in homogeneous coordinates. */
  multiple: 0,
  /** Points that the loop adds, two coordinates each: Q, -Q, the image of Q under Frobenius, and minus the image of that. */
  q: 3 * pairBytes,
  minusQ: 5 * pairBytes,
  firstImage: 7 * pairBytes,
  secondImage: 9 * pairBytes,
  /** y of P, and -x of P. */
  y: 11 * pairBytes,
  minusX: 11 * pairBytes + elementBytes,
} as const;
export const recordBytes = 12 * pairBytes;

/** Bytes of the three coefficients of a line. */
export const lineBytes = 3 * pairBytes;

const at = (base: string, offset: number): Place => ({ base, offset });
const tripleAt = (base: string, offset: number): Triple => [
  at(base, offset),
  at(base, offset + pairBytes),
  at(base, offset + 2 * pairBytes),
];
const multiple = tripleAt('pair', record.multiple);
const line = tripleAt('line', 0);

/** Begins the loop: the multiple of Q is Q, and the points to add follow from Q. @param factors of the first and second image */
export function beginLoop(one: Place, factors: readonly [ImageFactors, ImageFactors]): FunctionCode {
  const formula = new Formula('beginLoop', ['pair']);
  const pointAt = (offset: number) => [at('pair', offset), at('pair', offset + pairBytes)] as const;
  const [x, y] = pointAt(record.q);
  const [minusX, minusY] = pointAt(record.minusQ);
  const [firstX, firstY] = pointAt(record.firstImage);
  const [secondX, secondY] = pointAt(record.secondImage);
  const conjugated = formula.temporary();
  for (const [index, from] of [x, y, one].entries()) formula.add(multiple[index] as Place, from, zero);
  formula.add(minusX, x, zero);
  formula.subtract(minusY, zero, y);
  formula.conjugate(conjugated, x);
  formula.multiply(firstX, conjugated, factors[0].x);
  formula.conjugate(conjugated, y);
  formula.multiply(firstY, conjugated, factors[0].y);
  formula.multiply(secondX, x, factors[1].x);
  formula.multiply(secondY, y, factors[1].y);
  formula.subtract(secondY, zero, secondY);
  return formula.done([...multiple, minusX, minusY, firstX, firstY, secondX, secondY]);
}

/**
 * Doubles the multiple of Q. `line` is the tangent at its former place (https://eprint.iacr.org/2010/354, section 4, with all
 * coordinates times 4).
 * @param coefficient three times the constant of the curve of Q
 */
export function doubleMultiple(coefficient: Place): FunctionCode {
  const formula = new Formula('doubleMultiple', ['pair', 'line']);
  const [x, y, z] = multiple;
  const [a, b, c] = formula.triple();
  const [e, f, h] = formula.triple();
  const [j, t, k] = formula.triple();
  formula.multiply(a, x, y);
  formula.square(b, y);
  formula.square(c, z);
  formula.multiply(e, coefficient, c);
  formula.add(f, e, e);
  // 3 (2 e)**2
  formula.square(t, f);
  formula.add(k, t, t);
  formula.add(k, k, t);
  formula.add(f, f, e);
  formula.add(h, y, z);
  formula.square(h, h);
  formula.subtract(h, h, b);
  formula.subtract(h, h, c);
  formula.square(j, x);

  formula.subtract(t, b, f);
  formula.multiply(x, a, t);
  formula.add(x, x, x);
  formula.add(t, b, f);
  formula.square(y, t);
  formula.subtract(y, y, k);
  formula.multiply(z, b, h);
  formula.add(z, z, z);
  formula.add(z, z, z);

  formula.add(line[0], h, zero);
  formula.add(line[1], j, j);
  formula.add(line[1], line[1], j);
  formula.subtract(line[2], b, e);
  return formula.done([...multiple, ...line]);
}

/** Adds the point `q` to the multiple of Q. `line` passes through both. */
export function addToMultiple(): FunctionCode {
  const formula = new Formula('addToMultiple', ['pair', 'q', 'line']);
  const [x, y, z] = multiple;
  const [qx, qy] = [at('q', 0), at('q', pairBytes)];
  const [o, l, c] = formula.triple();
  const [d, e, f] = formula.triple();
  const [g, h, t] = formula.triple();
  formula.multiply(t, qy, z);
  formula.subtract(o, y, t);
  formula.multiply(t, qx, z);
  formula.subtract(l, x, t);
  formula.square(c, o);
  formula.square(d, l);
  formula.multiply(e, l, d);
  formula.multiply(f, z, c);
  formula.multiply(g, x, d);
  formula.add(h, e, f);
  formula.subtract(h, h, g);
  formula.subtract(h, h, g);

  formula.multiply(x, l, h);
  formula.multiply(z, z, e);
  formula.multiply(e, y, e);
  formula.subtract(t, g, h);
  formula.multiply(y, t, o);
  formula.subtract(y, y, e);

  formula.add(line[0], l, zero);
  formula.add(line[1], o, zero);
  formula.multiply(line[2], qx, o);
  formula.multiply(t, l, qy);
  formula.subtract(line[2], line[2], t);
  return formula.done([...multiple, ...line]);
}

/** Evaluates a line at P, to `to`. */
export function evaluateLine(to: Triple): FunctionCode {
  const formula = new Formula('evaluateLine', ['pair', 'line']);
  formula.scale(to[0], line[0], at('pair', record.y));
  formula.scale(to[1], line[1], at('pair', record.minusX));
  formula.add(to[2], line[2], zero);
  return formula.done(to);
}
