import { keccak256, recoverPublicKey } from '@cairn/block-model';
import { Blake2 } from '@cairn/evm-compiler';
import { ripemd160 as hashRipemd160 } from '@noble/hashes/legacy.js';
import { sha256 as nativeSha256 } from '#native';
import type { ForkRules } from '../forks/fork-rules.ts';
import { Halt } from '../interpreter/halt.ts';

const noBytes = new Uint8Array(0);

/** SHA256: native on Node. */
export const sha256 = (data: Uint8Array) => nativeSha256(data);

/** RIPEMD160: 12 zero bytes and the 20 bytes of the hash. */
export function ripemd160(data: Uint8Array): Uint8Array {
  const output = new Uint8Array(32);
  output.set(hashRipemd160(data), 12);
  return output;
}

/** ID returns its input. */
export const identity = (data: Uint8Array) => data;

/** ECREC: hash, v, r and s, 32 bytes each. Returns the address as a word, or no bytes where no key made the signature. */
export function recoverAddress(data: Uint8Array): Uint8Array {
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

/** Rounds of BLAKE2F, which cost one gas each. */
export function blake2fRounds(data: Uint8Array): number {
  return data.length === blake2InputBytes ? new DataView(data.buffer, data.byteOffset).getUint32(0) : 0;
}

/** BLAKE2F in WebAssembly. */
export function blake2f(data: Uint8Array, _: ForkRules, onSlice?: () => void): Uint8Array | Halt {
  blake2 ??= new Blake2();
  return blake2.compress(data, onSlice) ?? (data.length === blake2InputBytes ? invalidFlag : invalidLength);
}
