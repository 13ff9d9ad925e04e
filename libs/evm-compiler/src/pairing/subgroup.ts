import type { FunctionCode } from '../wasm/module.ts';
import { Formula, type Place, pairBytes } from './formula.ts';

/** Factors of the coordinates of the image of a point under the Frobenius map of the curve. */
export interface ImageFactors {
  readonly x: Place;
  readonly y: Place;
}

const at = (base: string, index: number): Place => ({ base, offset: index * pairBytes });

/** `to` is the image of the point `a`, two coordinates each. Parameters may be the same. */
export function imageOf({ x, y }: ImageFactors): FunctionCode {
  const formula = new Formula('imageOf', ['to', 'a']);
  const conjugated = formula.temporary();
  for (const [index, factor] of [x, y].entries()) {
    formula.conjugate(conjugated, at('a', index));
    formula.multiply(at('to', index), conjugated, factor);
  }
  return formula.done([at('to', 0), at('to', 1)]);
}

/** The norm of the last of three coordinates, whose inverse {@link endAffine} needs. */
export function beginAffine(norm: Place): FunctionCode {
  const formula = new Formula('beginAffine', ['a']);
  const conjugated = formula.temporary();
  formula.conjugate(conjugated, at('a', 2));
  formula.multiply(norm, at('a', 2), conjugated);
  return formula.done([norm]);
}

/** `to` is the point `a`, two coordinates instead of three. */
export function endAffine(inverse: Place): FunctionCode {
  const formula = new Formula('endAffine', ['to', 'a']);
  const factor = formula.temporary();
  formula.conjugate(factor, at('a', 2));
  formula.scale(factor, factor, inverse);
  for (const index of [0, 1]) formula.multiply(at('to', index), at('a', index), factor);
  return formula.done([at('to', 0), at('to', 1)]);
}

/** `to` has two elements, which are zero if `a` and `b`, points of three coordinates, are the same. */
export function compare(): FunctionCode {
  const formula = new Formula('compare', ['to', 'a', 'b']);
  const other = formula.temporary();
  for (const index of [0, 1]) {
    formula.multiply(at('to', index), at('a', index), at('b', 2));
    formula.multiply(other, at('b', index), at('a', 2));
    formula.subtract(at('to', index), at('to', index), other);
  }
  return formula.done([at('to', 0), at('to', 1)]);
}
