export { Bn254Pairing } from './bn254-pairing.ts';
export type { Pair } from './field.ts';
export type { PointPair } from './point-pair.ts';
