import type { CompiledCode } from './compile.ts';
import { computed } from './helpers/arithmetic.ts';
import { helperImports, helperModule } from './helpers/index.ts';
import { roundConstants } from './helpers/keccak.ts';
import { keccakPlace, scratch } from './layout.ts';
import { type LinearMemory, webAssembly } from './wasm/web-assembly.ts';

/** Runs from a block until it stops, and tells why: one of `exits`. */
export type Run = (block: number) => number;

const pagesMin = 16;
/** A page less than 2 GiB, for the memory of all frames together: places in it are positive numbers of 32 bits. */
const pagesMax = 32_767;

/** One linear memory, the helpers over it, and what of them was instantiated. For one thread and one message at a time. */
export class Runtime {
  readonly memory: LinearMemory = new webAssembly.Memory({ initial: pagesMin, maximum: pagesMax });
  readonly #imports: Readonly<Record<string, unknown>>;

  constructor() {
    const compute = (kind: number) => computeWith(new BigUint64Array(this.memory.buffer, scratch, 12), kind);
    const host = { memory: this.memory, compute };
    const { exports } = new webAssembly.Instance(new webAssembly.Module(helperModule), { host });
    this.#imports = {
      ...host,
      ...Object.fromEntries(helperImports.map(({ name }) => [name, exports[name] ?? compute])),
    };
    new BigUint64Array(this.memory.buffer, keccakPlace.constants, 24).set(roundConstants());
  }

  /** Makes a code ready to run here. */
  instantiate({ wasm }: CompiledCode): Run {
    const { exports } = new webAssembly.Instance(new webAssembly.Module(wasm), { host: this.#imports });
    return exports.run as Run;
  }
}

const wordModulus = 1n << 256n;
const signed = (word: bigint) => BigInt.asIntN(256, word);

/** Operands of four limbs each stand one behind the other; the result takes the place of the first. */
function computeWith(limbs: BigUint64Array, kind: number): void {
  const operand = (index: number) => {
    const [low = 0n, second = 0n, third = 0n, high = 0n] = limbs.subarray(4 * index, 4 * index + 4);
    return (((high << 64n) | third) << 128n) | (second << 64n) | low;
  };
  let result = BigInt.asUintN(256, resultOf(kind, operand));
  for (let limb = 0; limb < 4; limb++) {
    limbs[limb] = BigInt.asUintN(64, result);
    result >>= 64n;
  }
}

function resultOf(kind: number, operand: (index: number) => bigint): bigint {
  const one = operand(0);
  const other = operand(1);
  switch (kind) {
    case computed.sdiv:
      return other === 0n ? 0n : signed(one) / signed(other);
    case computed.smod:
      return other === 0n ? 0n : signed(one) % signed(other);
    case computed.addmod: {
      const modulus = operand(2);
      return modulus === 0n ? 0n : (one + other) % modulus;
    }
    case computed.mulmod: {
      const modulus = operand(2);
      return modulus === 0n ? 0n : (one * other) % modulus;
    }
    case computed.exp:
      return power(one, other);
    case computed.signextend:
      return one >= 31n ? other : BigInt.asIntN(8 * (Number(one) + 1), other);
    case computed.byte:
      return one >= 32n ? 0n : (other >> (248n - 8n * one)) & 0xffn;
    default:
      throw new Error(`There is nothing to compute for ${kind}.`);
  }
}

/** Square and multiply, modulo 2^256. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) % wordModulus;
    factor = (factor * factor) % wordModulus;
  }
  return result;
}
