import { Halt } from '../interpreter/halt.ts';
import { paddedSlice } from '../interpreter/words.ts';
import { blsPairBytes, blsTermBytes, bn254PairBytes } from './curve-gas.ts';
import { type Curves, curves } from './curves.ts';
import { BadPoint } from './pairing-curve.ts';
import type { RunPrecompile } from './run-precompile.ts';

const invalidLength = new Halt('invalid input length');
const badPairingSize = new Halt('bad elliptic curve pairing size');
/** Bytes of the operands of EIP-196; longer inputs are cut, shorter ones are padded with zeros. */
const bn254OperandBytes = 128;

/** geth's words for points that are not on alt_bn128 (crypto/bn256/gnark). */
const bn254Faults = {
  padding: new Halt('invalid fp.Element encoding'),
  field: new Halt('invalid fp.Element encoding'),
  curve: new Halt('point is not on curve'),
  subgroup: new Halt('point is not in correct subgroup'),
} as const satisfies Record<BadPoint['reason'], Halt>;

/** geth's words for inputs of EIP-2537. */
const blsFaults = {
  padding: new Halt('invalid field element top bytes'),
  field: new Halt('invalid fp.Element encoding'),
  curve: new Halt('invalid point: not on curve'),
} as const;
const subgroupFaults = {
  G1: new Halt('g1 point is not on correct subgroup'),
  G2: new Halt('g2 point is not on correct subgroup'),
} as const;

function bn254Fault({ reason }: BadPoint): Halt {
  return bn254Faults[reason];
}

function blsFault({ reason, group = 'G1' }: BadPoint): Halt {
  return reason === 'subgroup' ? subgroupFaults[group] : blsFaults[reason];
}

type Work = (curves: Curves, data: Uint8Array) => Uint8Array;

/** An input of EIP-196. */
const bn254 =
  (work: Work) =>
  (made: Curves): RunPrecompile =>
  (data) =>
    computed(() => work(made, Uint8Array.from(paddedSlice(data, 0, bn254OperandBytes))), bn254Fault);

const bn254Pairing =
  (made: Curves): RunPrecompile =>
  (data) =>
    data.length % bn254PairBytes === 0 ? computed(() => made.bn254.pairing(data), bn254Fault) : badPairingSize;

/** An input of EIP-2537 of one length. */
const blsOfLength =
  (bytes: number, work: Work) =>
  (made: Curves): RunPrecompile =>
  (data) =>
    data.length === bytes ? computed(() => work(made, data), blsFault) : invalidLength;

/** An input of EIP-2537 with one item or more. */
const blsOfItems =
  (bytesPerItem: number, work: Work) =>
  (made: Curves): RunPrecompile =>
  (data) =>
    data.length > 0 && data.length % bytesPerItem === 0 ? computed(() => work(made, data), blsFault) : invalidLength;

const byAddress: Readonly<Record<number, (made: Curves) => RunPrecompile>> = {
  6: bn254((made, data) => made.bn254.add(data)),
  7: bn254((made, data) => made.bn254.mul(data)),
  8: bn254Pairing,
  11: blsOfLength(256, (made, data) => made.bls.addG1(data)),
  12: blsOfItems(blsTermBytes.G1, (made, data) => made.bls.msmG1(data)),
  13: blsOfLength(512, (made, data) => made.bls.addG2(data)),
  14: blsOfItems(blsTermBytes.G2, (made, data) => made.bls.msmG2(data)),
  15: blsOfItems(blsPairBytes, (made, data) => made.bls.pairingCheck(data)),
  16: blsOfLength(64, (made, data) => made.bls.mapFPtoG1(data)),
  17: blsOfLength(128, (made, data) => made.bls.mapFP2toG2(data)),
};

/** A precompile of alt_bn128 or BLS12-381, once the curves are loaded. */
export async function loadCurvePrecompile(address: number): Promise<RunPrecompile> {
  const make = byAddress[address];
  if (make === undefined) throw new Error(`The precompile ${address} does not compute on a curve.`);
  return make(await curves());
}

function computed(work: () => Uint8Array, faultOf: (point: BadPoint) => Halt): Uint8Array | Halt {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadPoint) return faultOf(error);
    throw error;
  }
}
