import { hash } from 'node:crypto';
import { keccak256, recoverPublicKey } from '@cairn/block-model';

/** A precompile whose price is known before it runs, and whose input is never wrong. */
export interface FastPrecompile {
  /** In gas, for an input of so many bytes. */
  price(bytes: number): number;
  run(data: Uint8Array): Uint8Array;
}

const wordsOf = (bytes: number) => Math.ceil(bytes / 32);
const noBytes = new Uint8Array(0);

/**
 * Those that contracts call most, in native code where Node or a library has it (Yellow Paper, appendix E): public key
 * recovery, SHA-256 and identity. @ethereumjs/evm has the same in JavaScript.
 */
export const fastPrecompiles: ReadonlyMap<number, FastPrecompile> = new Map<number, FastPrecompile>([
  [1, { price: () => 3000, run: recover }],
  [2, { price: (bytes) => 60 + 12 * wordsOf(bytes), run: (data) => hash('sha256', data, 'buffer') }],
  [4, { price: (bytes) => 15 + 3 * wordsOf(bytes), run: (data) => data }],
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
