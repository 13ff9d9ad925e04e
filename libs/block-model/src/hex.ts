import { InvalidValueError } from './errors.ts';

/** `0x` and an even number of lower-case hexadecimal digits (DATA of the execution-apis specification). */
export type Hex = `0x${string}`;

/** DATA from bytes. */
export function hexFromBytes(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** QUANTITY from a number: no leading zeros, `0x0` for zero. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** Bytes from DATA that is known to be good. */
export function bytesFromHex(hex: string): Uint8Array {
  const buffer = Buffer.from(hex.slice(2), 'hex');
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
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

const quantityDigitsMax = 64;

/**
 * Reads a QUANTITY: `0x`, no leading zeros, 256 bits at most.
 * @throws VALUE_INVALID naming `field`
 */
export function parseQuantity(field: string, input: unknown): bigint {
  if (
    typeof input !== 'string' ||
    input.length > quantityDigitsMax + 2 ||
    !/^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$/.test(input)
  ) {
    throw new InvalidValueError(field, 'a hexadecimal quantity without leading zeros such as "0x5208"', input);
  }
  return BigInt(input);
}

/**
 * Reads DATA, of `bytes` bytes where that is given.
 * @throws VALUE_INVALID naming `field`
 */
export function parseData(field: string, input: unknown, bytes?: number): Hex {
  const expected =
    bytes === undefined
      ? 'hexadecimal bytes such as "0x" or "0x00ff"'
      : `${bytes} hexadecimal bytes, "0x" and ${bytes * 2} digits`;
  const isWhole =
    typeof input === 'string' && input.length % 2 === 0 && (bytes === undefined || input.length === 2 + bytes * 2);
  if (!isWhole || !/^0x[0-9a-fA-F]*$/.test(input)) throw new InvalidValueError(field, expected, input);
  return input.toLowerCase() as Hex;
}

/** Reads the hash of a block or transaction. @throws VALUE_INVALID */
export function parseHash(field: string, input: unknown): Hex {
  return parseData(field, input, 32);
}

/** Reads an address in any case of letters. @throws VALUE_INVALID */
export function parseAddress(field: string, input: unknown): Hex {
  return parseData(field, input, 20);
}
