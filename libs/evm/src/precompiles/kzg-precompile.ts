import { hexFromBytes } from '@cairn/block-model';
import { kzg, prepareKzg } from '@cairn/block-model/kzg';
import { bytesFromHexDigits, compareBytes, concatBytes } from '@cairn/platform';
import { sha256 } from '#native';
import { Halt } from '../interpreter/halt.ts';
import type { RunPrecompile } from './run-precompile.ts';

const inputBytes = 192;
/** Order of the scalars of BLS12-381. */
const scalarModulus = bytesFromHexDigits('73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001');
/** 4096 elements of a blob's field, and the order of that field (EIP-4844). */
const output = concatBytes([bytesFromHexDigits('1000'.padStart(64, '0')), scalarModulus]);
const versionKzg = 1;

const invalidLength = new Halt('invalid input length');
const mismatchedHash = new Halt('mismatched versioned hash');
const unverified = new Halt("error verifying kzg proof: can't verify opening proof");
const notCanonical = new Halt(
  'error verifying kzg proof: scalar is not canonical when interpreted as a big integer in big-endian',
);

/** KZG_POINT_EVALUATION (EIP-4844), once the trusted setup is ready. Reasons are geth's. */
export async function loadKzgPrecompile(): Promise<RunPrecompile> {
  await prepareKzg();
  return evaluatePoint;
}

function evaluatePoint(data: Uint8Array): Uint8Array | Halt {
  if (data.length !== inputBytes) return invalidLength;
  const [z, y] = [data.subarray(32, 64), data.subarray(64, 96)];
  const commitment = data.subarray(96, 144);
  const versionedHash = Uint8Array.from(sha256(commitment));
  versionedHash[0] = versionKzg;
  if (compareBytes(versionedHash, data.subarray(0, 32)) !== 0) return mismatchedHash;
  const [commitmentHex, zHex, yHex, proofHex] = [commitment, z, y, data.subarray(144)].map(hexFromBytes);
  if (isVerified(String(commitmentHex), String(zHex), String(yHex), String(proofHex))) return Uint8Array.from(output);
  return [z, y].every((scalar) => compareBytes(scalar, scalarModulus) < 0) ? unverified : notCanonical;
}

function isVerified(commitment: string, z: string, y: string, proof: string): boolean {
  try {
    return kzg().verifyProof(commitment, z, y, proof);
  } catch {
    // Not points of the curve, or scalars that are not canonical.
    return false;
  }
}
