import { bytesFromHexDigits, hexDigitsFromBytes } from '@cairn/platform';
/** `0x` and an even number of lower-case hexadecimal digits (DATA of the execution-apis specification). */
export type Hex = `0x${string}`;

/** DATA from bytes. */
export function hexFromBytes(bytes: Uint8Array): Hex {
  return `0x${hexDigitsFromBytes(bytes)}`;
}

/** QUANTITY from a number: no leading zeros, `0x0` for zero. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** Bytes from DATA that is known to be good. */
export function bytesFromHex(hex: string): Uint8Array {
  const bytes = bytesFromHexDigits(hex.slice(2));
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A number from big-endian bytes; 0 for none. */
export function bigintFromBytes(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(hexFromBytes(bytes));
}

/** Big-endian bytes without leading zeros; none for 0. */
export function bytesFromBigint(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0);
  const digits = value.toString(16);
  return bytesFromHex(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`);
}
