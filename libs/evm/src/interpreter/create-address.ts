import { keccak256 } from '@cairn/block-model';
import { bytesFromHexDigits, concatBytes } from '@cairn/platform';
import { wordBytes } from './words.ts';

/** Address of a contract that CREATE2 creates (EIP-1014). */
export function create2Address(creator: Uint8Array, salt: bigint, code: Uint8Array): Uint8Array {
  return keccak256(concatBytes([Uint8Array.of(0xff), creator, wordBytes(salt), keccak256(code)])).subarray(12);
}

/** Address of a contract that an account creates with a nonce (Yellow Paper, section 7): keccak-256 of the RLP of both. */
export function createAddress(creator: Uint8Array, nonce: bigint): Uint8Array {
  const digits = nonce.toString(16);
  const bytes = bytesFromHexDigits(digits.length % 2 === 0 ? digits : `0${digits}`);
  const short = nonce < 128n;
  const item =
    nonce === 0n ? Uint8Array.of(0x80) : short ? bytes : concatBytes([Uint8Array.of(0x80 + bytes.length), bytes]);
  const list = concatBytes([Uint8Array.of(0xc0 + 21 + item.length, 0x94), creator, item]);
  return keccak256(list).subarray(12);
}
