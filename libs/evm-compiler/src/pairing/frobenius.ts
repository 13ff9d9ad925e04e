import type { FunctionCode } from '../wasm/module.ts';
import { modulus, multiplyPairs, type Pair, powerOfPair } from './field.ts';
import { Formula, type Place, zero } from './formula.ts';
import { halvesAt } from './tower.ts';

/** Powers of the Frobenius map in use. */
export const powers = [1, 2, 3] as const;
export type Power = (typeof powers)[number];

/** `(9 + u)**((p - 1) / 6)`, and the same for `p**2` and `p**3`. */
const root = powerOfPair([9n, 1n], (modulus - 1n) / 6n);
const squareRoot = multiplyPairs(root, [root[0], -root[1]]);
const roots: Readonly<Record<Power, Pair>> = { 1: root, 2: squareRoot, 3: multiplyPairs(root, squareRoot) };

/** Factors of the coefficients of `w`, `w**2`, … `w**5` under a power of the Frobenius map. */
export function frobeniusFactors(power: Power): Pair[] {
  return [1n, 2n, 3n, 4n, 5n].map((exponent) => powerOfPair(roots[power], exponent));
}

/** `to` is the image of `a`. Parameters may be the same. @param factors places of the {@link frobeniusFactors} */
export function frobenius(power: Power, factors: readonly Place[]): FunctionCode {
  const formula = new Formula(`frobenius${power}`, ['to', 'a']);
  const to = inOrder('to');
  for (const [index, from] of inOrder('a').entries()) {
    const [place, factor, image] = [to[index] as Place, factors[index - 1], formula.temporary()];
    if (power === 2) formula.add(image, from, zero);
    else formula.conjugate(image, from);
    if (factor === undefined) formula.add(place, image, zero);
    else formula.multiply(place, image, factor);
  }
  return formula.done(to);
}

/** Coefficients of `1`, `w`, … `w**5`. */
function inOrder(base: string): Place[] {
  const [[x0, x2, x4], [x1, x3, x5]] = halvesAt(base);
  return [x0, x1, x2, x3, x4, x5];
}

/** `to` is `a` with the opposite coefficient of `w`: one over `a` if that is unitary. Parameters may be the same. */
export function conjugateTarget(): FunctionCode {
  const formula = new Formula('conjugateTarget', ['to', 'a']);
  const [[real, imaginary], [fromReal, fromImaginary]] = [halvesAt('to'), halvesAt('a')];
  for (const index of [0, 1, 2] as const) {
    formula.add(real[index], fromReal[index], zero);
    formula.subtract(imaginary[index], zero, fromImaginary[index]);
  }
  return formula.done([...real, ...imaginary]);
}
