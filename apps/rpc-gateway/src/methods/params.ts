import { cannotUnmarshal, InvalidValueError, jsonKind, parseAddress, parseHash, parseUint64 } from '@cairn/block-model';
import type { ParamDefinition } from '@cairn/jsonrpc-core';

/** The hash of a block. */
export const blockHashParam = {
  name: 'hash',
  summary: 'the hash of a block, "0x" and 64 digits.',
  parse: parseHash,
} satisfies ParamDefinition;

/** The hash of a transaction. */
export const transactionHashParam = {
  name: 'hash',
  summary: 'the hash of a transaction, "0x" and 64 digits.',
  parse: parseHash,
} satisfies ParamDefinition;

/** An account. */
export const addressParam = {
  name: 'address',
  summary: 'an address, "0x" and 40 digits.',
  parse: parseAddress,
} satisfies ParamDefinition;

/** A place in a list; one that is beyond every list is no error. */
export const indexParam = {
  name: 'index',
  summary: 'a place in the list, from "0x0" on.',
  parse: (field: string, value: unknown): number => Number(parseUint64(field, value, 'hexutil.Uint')),
} satisfies ParamDefinition<number>;

/** Reads a text; `null` is the empty one, as in geth. @throws VALUE_INVALID */
export function parseText(field: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidValueError(field, 'a text', value, cannotUnmarshal(jsonKind(value), 'string'));
}

/**
 * Reads a list; `null` is the empty one, as in geth. The body of the request bounds its length.
 * @param type of the list in Go
 * @throws VALUE_INVALID
 */
export function parseItems<T>(
  field: string,
  value: unknown,
  type: string,
  parse: (field: string, value: unknown) => T,
): T[] {
  if (value === null) return [];
  if (!Array.isArray(value))
    throw new InvalidValueError(field, 'a list', value, cannotUnmarshal(jsonKind(value), type));
  return value.map((item, index) => parse(`${field}[${index}]`, item));
}
