import { type CurveFormat, PairingCurve } from './pairing-curve.ts';

/** alt_bn128 (EIP-196, EIP-197). */
const bn254Format: CurveFormat = {
  number: 4,
  modulus: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
  coordinateBytes: 32,
  isImaginaryFirst: true,
  isG1Whole: true,
};
/** BLS12-381 (EIP-2537). */
const blsFormat: CurveFormat = {
  number: 5,
  modulus: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  coordinateBytes: 64,
  isImaginaryFirst: false,
  isG1Whole: false,
};

/** Operations of precompiles on points as the EVM encodes them. They throw {@link BadPoint}; callers check lengths. */
export type Curves = Awaited<ReturnType<typeof load>>;

let loaded: Curves | undefined;
let loading: Promise<Curves> | undefined;

/**
 * Curves in WebAssembly: mcl's, which take a tenth of their time in JavaScript, and the pairing on alt_bn128 of the compiler, which
 * takes a third of mcl's. Loaded when first needed.
 */
export function curves(): Curves | Promise<Curves> {
  if (loaded !== undefined) return loaded;
  loading ??= load().then((made) => {
    loaded = made;
    return made;
  });
  return loading;
}

async function load() {
  const { Bn254Pairing } = await import('@cairn/evm-compiler/pairing');
  const pairing = new Bn254Pairing();
  const [bn254, bls] = await Promise.all([
    PairingCurve.load({ ...bn254Format, isInSubgroup: (q) => pairing.isInSubgroup(q) }),
    PairingCurve.load(blsFormat),
  ]);
  const toMultiply = bn254.bytesOf('G1') + 32;
  return {
    bn254: {
      add: (input: Uint8Array) => bn254.add('G1', input),
      mul: (input: Uint8Array) => bn254.multiply('G1', input.subarray(0, toMultiply)),
      pairing: (input: Uint8Array) => word(pairing.isProductOne(bn254.pairsOf(input))),
    },
    bls: {
      addG1: (input: Uint8Array) => bls.add('G1', input),
      addG2: (input: Uint8Array) => bls.add('G2', input),
      msmG1: (input: Uint8Array) => bls.multiply('G1', input),
      msmG2: (input: Uint8Array) => bls.multiply('G2', input),
      mapFPtoG1: (input: Uint8Array) => bls.map('G1', input),
      mapFP2toG2: (input: Uint8Array) => bls.map('G2', input),
      pairingCheck: (input: Uint8Array) => word(bls.isPairingOne(input)),
    },
  };
}

function word(isTrue: boolean): Uint8Array {
  const bytes = new Uint8Array(32);
  bytes[31] = isTrue ? 1 : 0;
  return bytes;
}
