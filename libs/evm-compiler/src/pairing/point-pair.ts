import type { Pair } from './field.ts';

/** Points of alt_bn128 in affine coordinates, which are below the modulus. */
export interface PointPair {
  /** x and y of a point of G1. */
  readonly p: readonly [x: bigint, y: bigint];
  /** x and y of a point of G2, as real and imaginary parts. */
  readonly q: readonly [x: Pair, y: Pair];
}
