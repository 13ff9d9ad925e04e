import { CairnError, isCairnError } from '@cairn/errors';
import { InvalidValueError } from './errors.ts';
import type { Hex } from './hex.ts';

// Forms, limits and messages match the package hexutil of geth (v1.17.5, common/hexutil/json.go): clients and their
// tests depend on them.

const quantityForm = 'a hexadecimal quantity without leading zeros such as "0x5208"';
const quantityPattern = /^0[xX](0|[1-9a-fA-F][0-9a-fA-F]*)$/;
const bigDigitsMax = 64;
const uint64DigitsMax = 16;

/** Returns the message of Go's encoding/json for a value that does not fit a type. */
export function cannotUnmarshal(value: string, type: string): string {
  return `json: cannot unmarshal ${value} into Go value of type ${type}`;
}

/**
 * Reads a QUANTITY: `0x` or `0X`, no leading zeros, 256 bits at most. The empty string is 0.
 * @param type the Go type that geth reads it with
 * @throws VALUE_INVALID naming `field`
 */
export function parseQuantity(field: string, input: unknown, type = '*hexutil.Big'): bigint {
  return readNumber(field, input, bigDigitsMax, type);
}

/**
 * Reads a QUANTITY of 64 bits at most.
 * @param type the Go type that geth reads it with
 * @throws VALUE_INVALID naming `field`
 */
export function parseUint64(field: string, input: unknown, type = 'hexutil.Uint64'): bigint {
  return readNumber(field, input, uint64DigitsMax, type);
}

function readNumber(field: string, input: unknown, digitsMax: number, type: string): bigint {
  if (typeof input === 'string' && input.length <= digitsMax + 2 && quantityPattern.test(input)) return BigInt(input);
  if (input === '') return 0n;
  const fault = numberFault(input, digitsMax) ?? 'invalid hex string';
  const expected = digitsMax === uint64DigitsMax ? `${quantityForm}, 64 bits at most` : quantityForm;
  throw new InvalidValueError(field, expected, input, cannotUnmarshal(fault, type));
}

/** Returns the fault of a number in the wording of hexutil; `undefined` for a valid one. */
export function numberFault(input: unknown, digitsMax: number = uint64DigitsMax): string | undefined {
  if (typeof input !== 'string') return 'non-string';
  if (!/^0[xX]/.test(input)) return input === '' ? 'empty hex string' : 'hex string without 0x prefix';
  if (input.length === 2) return 'hex string "0x"';
  if (input.length > 3 && input[2] === '0') return 'hex number with leading zero digits';
  if (input.length > digitsMax + 2) return `hex number > ${digitsMax * 4} bits`;
  return /^[0-9a-fA-F]+$/.test(input.slice(2)) ? undefined : 'invalid hex string';
}

/** Go types by the lengths that geth reads into fixed arrays. */
const fixedTypes: ReadonlyMap<number, string> = new Map([
  [20, 'common.Address'],
  [32, 'common.Hash'],
]);

/**
 * Reads DATA, of exactly `bytes` bytes if given. The empty string is no bytes.
 * @throws VALUE_INVALID naming `field`
 */
export function parseData(field: string, input: unknown, bytes?: number): Hex {
  if (typeof input === 'string' && (bytes === undefined || input.length === 2 + bytes * 2)) {
    if (input === '') return '0x';
    if (input.length % 2 === 0 && /^0[xX][0-9a-fA-F]*$/.test(input)) return input.toLowerCase() as Hex;
  }
  const expected =
    bytes === undefined
      ? 'hexadecimal bytes such as "0x" or "0x00ff"'
      : `${bytes} hexadecimal bytes, "0x" and ${bytes * 2} digits`;
  throw new InvalidValueError(field, expected, input, dataReason(input, bytes));
}

function dataReason(input: unknown, bytes: number | undefined): string {
  const type = (bytes !== undefined && fixedTypes.get(bytes)) || 'hexutil.Bytes';
  const fault = dataFault(input);
  const digits = typeof input === 'string' ? Math.max(0, input.length - 2) : 0;
  // A wrong length is reported before a wrong digit.
  if (bytes !== undefined && digits !== bytes * 2 && (fault === undefined || fault === 'invalid hex string'))
    return `hex string has length ${digits}, want ${bytes * 2} for ${type}`;
  return cannotUnmarshal(fault ?? 'invalid hex string', type);
}

/** Returns the fault of bytes in the wording of hexutil; `undefined` for valid ones and for the empty string. */
export function dataFault(input: unknown): string | undefined {
  if (typeof input !== 'string') return 'non-string';
  if (input === '') return undefined;
  if (!/^0[xX]/.test(input)) return 'hex string without 0x prefix';
  if (input.length % 2 !== 0) return 'hex string of odd length';
  return /^[0-9a-fA-F]*$/.test(input.slice(2)) ? undefined : 'invalid hex string';
}

/** Reads the hash of a block or transaction. @throws VALUE_INVALID */
export function parseHash(field: string, input: unknown): Hex {
  return parseData(field, input, 32);
}

/** Reads an address in any case of letters. @throws VALUE_INVALID */
export function parseAddress(field: string, input: unknown): Hex {
  return parseData(field, input, 20);
}

/** Returns the name of the kind of a JSON value in Go's encoding/json. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * Runs a parser and replaces the reason of its VALUE_INVALID, since geth reports the fault of the enclosing decoder.
 * @param change receives the reason of the inner decoder
 */
export function parseWithReason<T>(parse: () => T, change: (reason: string) => string): T {
  try {
    return parse();
  } catch (error) {
    if (!isCairnError(error, 'VALUE_INVALID')) throw error;
    const { message, hint, details } = error;
    if (typeof details.reason !== 'string') throw error;
    const reason = change(details.reason);
    throw new CairnError('VALUE_INVALID', message, {
      ...(hint !== undefined && { hint }),
      details: { ...details, reason },
    });
  }
}

/** A struct that geth reads an object into. */
export interface GoStruct {
  readonly name: string;
}

/**
 * Reads a member of an object. The fault names the innermost struct and the path from the outermost, as in Go's encoding/json.
 * @param name name of the member in Go's messages
 * @param isOpaque the member has its own decoder, so the fault names this struct instead of the member's
 */
export function parseMember<T>({ name: struct }: GoStruct, name: string, parse: () => T, isOpaque = false): T {
  return parseWithReason(parse, (reason) =>
    reason
      .replace(/into Go struct field (\w+)\.(\S+) of/, (_, inner: string, path: string) => {
        return `into Go struct field ${isOpaque ? struct : inner}.${name}.${path} of`;
      })
      .replace('into Go value of', `into Go struct field ${struct}.${name} of`),
  );
}
