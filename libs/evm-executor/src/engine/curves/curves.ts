import { EVMError } from '@ethereumjs/evm';
import { BadPoint, type CurveFormat, PairingCurve } from './pairing-curve.ts';

/** alt_bn128, of EIP-196 and EIP-197. */
const bn254Format: CurveFormat = {
  number: 4,
  modulus: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
  coordinateBytes: 32,
  isImaginaryFirst: true,
};
/** BLS12-381, of EIP-2537. */
const blsFormat: CurveFormat = {
  number: 5,
  modulus: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  coordinateBytes: 64,
  isImaginaryFirst: false,
};

/** The curves behind the precompiles of @ethereumjs/evm, which charge, pad and check lengths. */
export type Curves = Awaited<ReturnType<typeof load>>;

let loaded: Curves | undefined;
let loading: Promise<Curves> | undefined;

/** mcl's curves in WebAssembly: a pairing takes a tenth of the time that it takes in JavaScript. Loaded when first needed. */
export function curves(): Curves | Promise<Curves> {
  if (loaded !== undefined) return loaded;
  loading ??= load().then((made) => {
    loaded = made;
    return made;
  });
  return loading;
}

async function load() {
  const [bn254, bls] = await Promise.all([PairingCurve.load(bn254Format), PairingCurve.load(blsFormat)]);
  const toMultiply = bn254.bytesOf('G1') + 32;
  return {
    bn254: {
      add: (input: Uint8Array) => told(() => bn254.add('G1', input)),
      mul: (input: Uint8Array) => told(() => bn254.multiply('G1', input.subarray(0, toMultiply))),
      pairing: (input: Uint8Array) => told(() => word(bn254.isPairingOne(input))),
    },
    bls: {
      addG1: (input: Uint8Array) => told(() => bls.add('G1', input)),
      addG2: (input: Uint8Array) => told(() => bls.add('G2', input)),
      msmG1: (input: Uint8Array) => told(() => bls.multiply('G1', input)),
      msmG2: (input: Uint8Array) => told(() => bls.multiply('G2', input)),
      mapFPtoG1: (input: Uint8Array) => told(() => bls.map('G1', input)),
      mapFP2toG2: (input: Uint8Array) => told(() => bls.map('G2', input)),
      pairingCheck: (input: Uint8Array) => told(() => word(bls.isPairingOne(input))),
    },
  };
}

const { BLS_12_381_FP_NOT_IN_FIELD: notInField, BLS_12_381_POINT_NOT_ON_CURVE: notOnCurve } = EVMError.errorMessages;

/** An input that is no point, for the EVM of @ethereumjs and with what it is for others. */
export class CurveFault extends EVMError {
  readonly point: BadPoint;

  constructor(error: EVMError['error'], point: BadPoint) {
    super(error);
    this.point = point;
  }
}

/** geth's words for a point that is not on alt_bn128 (crypto/bn256/gnark). */
const bn254Words = {
  padding: 'invalid fp.Element encoding',
  field: 'invalid fp.Element encoding',
  curve: 'point is not on curve',
  subgroup: 'point is not in correct subgroup',
} as const satisfies Record<BadPoint['reason'], string>;

/** Why bytes are no point of alt_bn128, in geth's words. */
export function bn254Reason({ reason }: BadPoint): string {
  return bn254Words[reason];
}

/** Why the input of a precompile of BLS12-381 is not valid, in geth's words; `undefined` while the curve is not loaded. */
export function blsReason(precompile: number, data: Uint8Array): string | undefined {
  try {
    const run = loaded && blsPrecompiles(loaded)[precompile - firstBlsPrecompile];
    run?.(data);
    return undefined;
  } catch (error) {
    if (!(error instanceof CurveFault)) throw error;
    const { reason, group = 'G1' } = error.point;
    if (reason === 'padding') return 'invalid field element top bytes';
    if (reason === 'field') return 'invalid fp.Element encoding';
    return reason === 'curve'
      ? 'invalid point: not on curve'
      : `${group.toLowerCase()} point is not on correct subgroup`;
  }
}

const firstBlsPrecompile = 0x0b;
const blsPrecompiles = ({ bls }: Curves) => [
  bls.addG1,
  bls.msmG1,
  bls.addG2,
  bls.msmG2,
  bls.pairingCheck,
  bls.mapFPtoG1,
  bls.mapFP2toG2,
];

function told(work: () => Uint8Array): Uint8Array {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadPoint)
      throw new CurveFault(error.reason === 'field' || error.reason === 'padding' ? notInField : notOnCurve, error);
    throw error;
  }
}

function word(isTrue: boolean): Uint8Array {
  const bytes = new Uint8Array(32);
  bytes[31] = isTrue ? 1 : 0;
  return bytes;
}
