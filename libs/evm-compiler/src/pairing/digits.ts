/** The parameter of the curve: its modulus and the order of its groups are polynomials of it. */
const parameter = 4965661367192848881n;
/** Digits of the number of the Miller loop in non-adjacent form, most significant first, without the first one. */
export const loopDigits = signedDigits(6n * parameter + 2n, 2).slice(1);
/** Digits of the parameter for the check of the subgroup, without the first one. */
export const subgroupDigits = signedDigits(parameter, 2).slice(1);
/** Digits of the parameter, most significant first: odd numbers between -7 and 7, and zeros. */
export const parameterDigits = signedDigits(parameter, 4);

/** Digits of a positive number in base 2, most significant first: zero, or odd with fewer than `bits` bits and a sign. */
function signedDigits(value: bigint, bits: number): number[] {
  const digits: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 1n) {
    const digit = rest & 1n ? BigInt.asIntN(bits, rest) : 0n;
    digits.push(Number(digit));
    rest -= digit;
  }
  return digits.reverse();
}
