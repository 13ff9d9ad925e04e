/** Modulus of the field of alt_bn128 (EIP-196). */
export const modulus = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;

/** Limbs of an element of the field, least significant first. Nine limbs hold 168 times the modulus. */
export const limbCount = 9;
export const limbBits = 29;
/** An element is a multiple of this number (Montgomery form), so that a product is reduced without a division. */
const montgomery = 1n << BigInt(limbCount * limbBits);
/** Bytes of an element: nine limbs of 32 bits, and zeros up to a multiple of 16. */
export const elementBytes = 48;

const limb = 1n << BigInt(limbBits);

export function modulo(value: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** Limbs between -2**28 and 2**28; the last one takes what remains. */
export function limbsFromBigint(value: bigint): bigint[] {
  let rest = value;
  const limbs = Array.from({ length: limbCount - 1 }, () => {
    const low = BigInt.asIntN(limbBits, rest);
    rest = (rest - low) / limb;
    return low;
  });
  return [...limbs, rest];
}

/** Writes a number in Montgomery form. */
export function writeElement(memory: Int32Array, at: number, value: bigint): void {
  for (const [index, digit] of limbsFromBigint(modulo(value * montgomery)).entries())
    memory[at / 4 + index] = Number(digit);
}

const fromMontgomery = invert(montgomery);

/** The number of an element in Montgomery form. */
export function readElement(memory: Int32Array, at: number): bigint {
  const limbs = memory.subarray(at / 4, at / 4 + limbCount);
  return modulo(limbs.reduceRight((sum, digit) => sum * limb + BigInt(digit), 0n) * fromMontgomery);
}

/** One over a number, in the field. */
export function invert(value: bigint): bigint {
  return power(value, modulus - 2n);
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, modulo(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}

/** Element of the quadratic extension, `real + imaginary u` with `u**2 = -1`. */
export type Pair = readonly [real: bigint, imaginary: bigint];

export function multiplyPairs([a, b]: Pair, [c, d]: Pair): Pair {
  return [modulo(a * c - b * d), modulo(a * d + b * c)];
}

export function powerOfPair(base: Pair, exponent: bigint): Pair {
  let [result, square]: [Pair, Pair] = [[1n, 0n], base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiplyPairs(result, square);
    square = multiplyPairs(square, square);
  }
  return result;
}
