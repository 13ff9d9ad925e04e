import { keccak256, recoverPublicKey } from '@cairn/block-model';
import { Blake2 } from '@cairn/evm-compiler';
import { sha256 } from '#native';
import { Halt } from './halt.ts';

/** A precompile whose price is known before it runs. */
export interface FastPrecompile {
  /** In gas. */
  price(data: Uint8Array): number;
  /**
   * Its output, or why there is none.
   * @param onSlice called now and then by what may take seconds; an error that it throws ends the run
   */
  run(data: Uint8Array, onSlice?: () => void): Uint8Array | Halt;
}

const wordsOf = ({ length }: Uint8Array) => Math.ceil(length / 32);
const noBytes = new Uint8Array(0);

/**
 * Those that contracts call most, in native code where Node or a library has it (Yellow Paper, appendix E): public key
 * recovery, SHA-256 and identity; and BLAKE2F (EIP-152) in WebAssembly. @ethereumjs/evm has the same in JavaScript.
 */
export const fastPrecompiles: ReadonlyMap<number, FastPrecompile> = new Map<number, FastPrecompile>([
  [1, { price: () => 3000, run: recover }],
  [2, { price: (data) => 60 + 12 * wordsOf(data), run: sha256 }],
  [4, { price: (data) => 15 + 3 * wordsOf(data), run: (data) => data }],
  [9, { price: rounds, run: mix }],
]);

/** Hash, v, r and s, 32 bytes each; the address as a word, or nothing for a signature of nobody. */
function recover(data: Uint8Array): Uint8Array {
  const input = new Uint8Array(128);
  input.set(data.subarray(0, 128));
  const v = input[63];
  for (let at = 32; at < 63; at++) if (input[at] !== 0) return noBytes;
  if (v !== 27 && v !== 28) return noBytes;
  const publicKey = recoverPublicKey(input.subarray(0, 32), input.subarray(64), v - 27);
  if (publicKey === undefined) return noBytes;
  return keccak256(publicKey).fill(0, 0, 12);
}

let blake2: Blake2 | undefined;
const blake2InputBytes = 213;
const invalidLength = new Halt('invalid input length');
const invalidFlag = new Halt('invalid final flag');

/** One gas a round. */
function rounds(data: Uint8Array): number {
  return data.length === blake2InputBytes ? new DataView(data.buffer, data.byteOffset).getUint32(0) : 0;
}

function mix(data: Uint8Array, onSlice?: () => void): Uint8Array | Halt {
  blake2 ??= new Blake2();
  return blake2.compress(data, onSlice) ?? (data.length === blake2InputBytes ? invalidFlag : invalidLength);
}
