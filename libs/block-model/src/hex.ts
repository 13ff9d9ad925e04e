import { bytesFromHexDigits, hexDigitsFromBytes } from '@cairn/platform';
/** `0x` and an even number of lower-case hexadecimal digits (DATA of the execution-apis specification). */
export type Hex = `0x${string}`;

/** Converts bytes to DATA. */
export function hexFromBytes(bytes: Uint8Array): Hex {
  return `0x${hexDigitsFromBytes(bytes)}`;
}

/** Converts a number to QUANTITY: no leading zeros, `0x0` for zero. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** Converts DATA that was validated before to bytes. */
export function bytesFromHex(hex: string): Uint8Array {
  const bytes = bytesFromHexDigits(hex.slice(2));
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Converts big-endian bytes to a number; no bytes are 0. */
export function bigintFromBytes(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(hexFromBytes(bytes));
}

/** Converts a number to big-endian bytes without leading zeros; 0 is no bytes. */
export function bytesFromBigint(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0);
  const digits = value.toString(16);
  return bytesFromHex(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`);
}
