import type { ForkRules } from '../forks/fork-rules.ts';
import { blsGas, bn254Gas } from './curve-gas.ts';
import { modexp, modexpGas } from './modexp.ts';
import { blake2f, blake2fRounds, identity, recoverAddress, ripemd160, sha256 } from './native-precompiles.ts';
import type { RunPrecompile } from './run-precompile.ts';

/** Forks that add precompiles. */
export type PrecompileFork = 'frontier' | 'byzantium' | 'istanbul' | 'cancun' | 'prague' | 'osaka';

/** One precompile. Prices and sources: Yellow Paper, appendix E, and the EIP of the row. */
export interface PrecompileRow {
  readonly address: number;
  /** Name of EIP-7910. */
  readonly name: string;
  readonly since: PrecompileFork;
  /** Fork of the OP stack that adds it earlier. */
  readonly opStackSince?: 'fjord';
  readonly eip?: number;
  /** Gas; infinite where no call can have as much. */
  readonly gas: (data: Uint8Array, rules: ForkRules) => number;
  /** True if the price bounds the time, as for hashes and copies. Only gas bounds the rounds of BLAKE2F. */
  readonly isLight?: true;
  /** The function; absent where {@link load} loads it, since its code or tables are large. */
  readonly run?: RunPrecompile;
  readonly load?: () => Promise<RunPrecompile>;
}

const words = ({ length }: Uint8Array) => Math.ceil(length / 32);
const loadCurve = (address: number) => async () =>
  (await import('./curve-precompiles.ts')).loadCurvePrecompile(address);
const loadKzg = async () => (await import('./kzg-precompile.ts')).loadKzgPrecompile();
const loadP256 = async () => (await import('./p256-precompile.ts')).p256Verify;

/** EIP-7951; before Osaka, OP-stack chains have the price of RIP-7212. */
const p256Gas = (_: Uint8Array, { isOsaka }: ForkRules) => (isOsaka ? 6900 : 3450);

/** All precompiles of all forks. Availability, prices and names are derived from this table. */
// biome-ignore format: one row per precompile
export const precompileTable: readonly PrecompileRow[] = [
  { address: 0x01, name: 'ECREC', since: 'frontier', gas: () => 3000, run: recoverAddress },
  { address: 0x02, name: 'SHA256', since: 'frontier', gas: (data) => 60 + 12 * words(data), isLight: true, run: sha256 },
  { address: 0x03, name: 'RIPEMD160', since: 'frontier', gas: (data) => 600 + 120 * words(data), isLight: true, run: ripemd160 },
  { address: 0x04, name: 'ID', since: 'frontier', gas: (data) => 15 + 3 * words(data), isLight: true, run: identity },
  { address: 0x05, name: 'MODEXP', since: 'byzantium', eip: 198, gas: modexpGas, run: modexp },
  { address: 0x06, name: 'BN254_ADD', since: 'byzantium', eip: 196, gas: bn254Gas.add, load: loadCurve(0x06) },
  { address: 0x07, name: 'BN254_MUL', since: 'byzantium', eip: 196, gas: bn254Gas.multiply, load: loadCurve(0x07) },
  { address: 0x08, name: 'BN254_PAIRING', since: 'byzantium', eip: 197, gas: bn254Gas.pairing, load: loadCurve(0x08) },
  { address: 0x09, name: 'BLAKE2F', since: 'istanbul', eip: 152, gas: blake2fRounds, run: blake2f },
  { address: 0x0a, name: 'KZG_POINT_EVALUATION', since: 'cancun', eip: 4844, gas: () => 50_000, load: loadKzg },
  { address: 0x0b, name: 'BLS12_G1ADD', since: 'prague', eip: 2537, gas: blsGas.addG1, load: loadCurve(0x0b) },
  { address: 0x0c, name: 'BLS12_G1MSM', since: 'prague', eip: 2537, gas: blsGas.multiplyG1, load: loadCurve(0x0c) },
  { address: 0x0d, name: 'BLS12_G2ADD', since: 'prague', eip: 2537, gas: blsGas.addG2, load: loadCurve(0x0d) },
  { address: 0x0e, name: 'BLS12_G2MSM', since: 'prague', eip: 2537, gas: blsGas.multiplyG2, load: loadCurve(0x0e) },
  { address: 0x0f, name: 'BLS12_PAIRING_CHECK', since: 'prague', eip: 2537, gas: blsGas.pairing, load: loadCurve(0x0f) },
  { address: 0x10, name: 'BLS12_MAP_FP_TO_G1', since: 'prague', eip: 2537, gas: blsGas.mapG1, load: loadCurve(0x10) },
  { address: 0x11, name: 'BLS12_MAP_FP2_TO_G2', since: 'prague', eip: 2537, gas: blsGas.mapG2, load: loadCurve(0x11) },
  { address: 0x100, name: 'P256VERIFY', since: 'osaka', opStackSince: 'fjord', eip: 7951, gas: p256Gas, load: loadP256 },
];
