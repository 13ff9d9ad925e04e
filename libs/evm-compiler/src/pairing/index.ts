export { Bn254Pairing, type PointPair } from './bn254-pairing.ts';
export type { Pair } from './field.ts';
