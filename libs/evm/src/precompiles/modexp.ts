import { bytesFromBigint } from '@cairn/block-model';
import type { ForkRules } from '../forks/fork-rules.ts';
import { Halt } from '../interpreter/halt.ts';
import { paddedSlice, readWord, wordFromBytes } from '../interpreter/words.ts';

/** Base, exponent and modulus follow three lengths of 32 bytes (EIP-198). */
const headBytes = 96;
/** EIP-7823. */
const operandBytesMax = 1024n;
const operandTooLong = new Halt('one or more of base/exponent/modulus length exceeded 1024 bytes');

interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

function lengthsOf(data: Uint8Array): Lengths {
  return { base: readWord(data, 0), exponent: readWord(data, 32), modulus: readWord(data, 64) };
}

/** EIP-198, repriced by EIP-2565 in Berlin and by EIP-7883 in Osaka. */
export function modexpGas(data: Uint8Array, { isBerlin, isOsaka }: ForkRules): number {
  const lengths = lengthsOf(data);
  let longest = lengths.base;
  if (lengths.modulus > longest) longest = lengths.modulus;
  const iterations = iterationCount(data, lengths, isOsaka ? 16n : 8n);
  const words = (longest + 7n) / 8n;
  if (isOsaka) return atLeast(500, iterations * (longest > 32n ? 2n * words * words : 16n));
  if (isBerlin) return atLeast(200, (iterations * words * words) / 3n);
  return atLeast(0, (iterations * complexity(longest)) / 20n);
}

/** Gas as a number; infinite beyond the integers that a double counts. */
function atLeast(least: number, gas: bigint): number {
  return gas > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Math.max(least, Number(gas));
}

/** Steps that the exponent takes: 1 at least. */
function iterationCount(data: Uint8Array, { base, exponent }: Lengths, perByte: bigint): bigint {
  const headLength = exponent < 32n ? Number(exponent) : 32;
  const head = wordFromBytes(paddedSlice(data, headBytes + Number(base), headLength));
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  const count = (exponent > 32n ? perByte * (exponent - 32n) : 0n) + bits;
  return count > 1n ? count : 1n;
}

/** EIP-198, "mult_complexity". */
function complexity(length: bigint): bigint {
  if (length <= 64n) return length ** 2n;
  if (length <= 1024n) return length ** 2n / 4n + 96n * length - 3072n;
  return length ** 2n / 16n + 480n * length - 199_680n;
}

/** `base ** exponent % modulus`, as long as the modulus; zeros for the modulus 0. */
export function modexp(data: Uint8Array, { isOsaka }: ForkRules): Uint8Array | Halt {
  const { base, exponent, modulus } = lengthsOf(data);
  if (isOsaka && [base, exponent, modulus].some((length) => length > operandBytesMax)) return operandTooLong;
  if (base === 0n && modulus === 0n) return new Uint8Array(0);
  const [baseBytes, exponentBytes, modulusBytes] = [Number(base), Number(exponent), Number(modulus)];
  const numberAt = (at: number, length: number) => wordFromBytes(paddedSlice(data, at, length));
  const output = new Uint8Array(modulusBytes);
  const divisor = numberAt(headBytes + baseBytes + exponentBytes, modulusBytes);
  if (divisor === 0n) return output;
  const result = modularPower(numberAt(headBytes, baseBytes), numberAt(headBytes + baseBytes, exponentBytes), divisor);
  const bytes = bytesFromBigint(result);
  output.set(bytes, modulusBytes - bytes.length);
  return output;
}

function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
