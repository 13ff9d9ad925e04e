import type { FunctionCode } from '../wasm/module.ts';
import { Formula, type Place, type Triple, zero } from './formula.ts';
import { halvesAt, multiplyTriples } from './tower.ts';

/** Intermediate results of an inversion, kept while the norm is inverted. */
export interface InversionPlaces {
  /** Adjugate of the norm in the extension of degree 6. */
  readonly adjugate: Triple;
  /** Norm in the quadratic extension. */
  readonly inner: Place;
  /** Norm in the field, as a real number. */
  readonly norm: Place;
}

/** First half of an inversion: the norm of `a` in the field. */
export function beginInversion({ adjugate, inner, norm }: InversionPlaces): FunctionCode {
  const formula = new Formula('beginInversion', ['a']);
  const [a, b] = halvesAt('a');
  const [left, right, n] = [formula.triple(), formula.triple(), formula.triple()];
  // n = a**2 - v b**2
  multiplyTriples(formula, left, a, a);
  multiplyTriples(formula, right, b, b);
  const minus = formula.temporary();
  formula.subtract(minus, zero, right[2]);
  formula.twistAndAdd(n[0], minus, left[0]);
  formula.subtract(n[1], left[1], right[0]);
  formula.subtract(n[2], left[2], right[1]);
  for (const place of n) formula.reduce(place);

  // Adjugate: n0**2 - x n1 n2, x n2**2 - n0 n1, n1**2 - n0 n2, with x = 9 + u
  const [t0, t1, t2] = formula.triple();
  formula.multiply(t0, n[1], n[2]);
  formula.subtract(t0, zero, t0);
  formula.square(t1, n[0]);
  formula.twistAndAdd(adjugate[0], t0, t1);
  formula.square(t0, n[2]);
  formula.multiply(t1, n[0], n[1]);
  formula.subtract(t1, zero, t1);
  formula.twistAndAdd(adjugate[1], t0, t1);
  formula.square(t0, n[1]);
  formula.multiply(t1, n[0], n[2]);
  formula.subtract(adjugate[2], t0, t1);
  formula.reduce(adjugate[2]);

  // inner = n0 adjugate0 + x (n2 adjugate1 + n1 adjugate2)
  formula.multiply(t0, n[0], adjugate[0]);
  formula.multiply(t1, n[2], adjugate[1]);
  formula.multiply(t2, n[1], adjugate[2]);
  formula.add(t1, t1, t2);
  formula.twistAndAdd(inner, t1, t0);
  formula.conjugate(t0, inner);
  formula.multiply(norm, inner, t0);
  return formula.done([...adjugate, inner, norm]);
}

/** Second half of an inversion: `to` is one over `a`, with one over the norm at `inverse`. `to` is not `a`. */
export function endInversion({ adjugate, inner }: InversionPlaces, inverse: Place): FunctionCode {
  const formula = new Formula('endInversion', ['to', 'a']);
  const [a, b] = halvesAt('a');
  const [real, imaginary] = halvesAt('to');
  const [scaled, factor] = [formula.triple(), formula.temporary()];
  formula.conjugate(factor, inner);
  formula.scale(factor, factor, inverse);
  for (const index of [0, 1, 2] as const) formula.multiply(scaled[index], adjugate[index], factor);
  multiplyTriples(formula, real, a, scaled);
  multiplyTriples(formula, imaginary, b, scaled);
  for (const place of imaginary) formula.subtract(place, zero, place);
  return formula.done([...real, ...imaginary]);
}
