import { cannotUnmarshal, InvalidValueError, jsonKind, parseAddress, parseHash, parseUint64 } from '@cairn/block-model';
import type { ParamDefinition } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../param-schemas.ts';

/** Parameter: a block hash. */
export const blockHashParam = {
  name: 'hash',
  summary: 'a block hash, "0x" and 64 digits.',
  schema: paramSchemas.hash,
  parse: parseHash,
} satisfies ParamDefinition;

/** Parameter: a transaction hash. */
export const transactionHashParam = {
  name: 'hash',
  summary: 'a transaction hash, "0x" and 64 digits.',
  schema: paramSchemas.hash,
  parse: parseHash,
} satisfies ParamDefinition;

/** Parameter: the address of an account. */
export const addressParam = {
  name: 'address',
  summary: 'an address, "0x" and 40 digits.',
  schema: paramSchemas.address,
  parse: parseAddress,
} satisfies ParamDefinition;

/** Parameter: an index in a list. An index beyond the end is not an error. */
export const indexParam = {
  name: 'index',
  summary: 'an index in the list, from "0x0" on.',
  schema: paramSchemas.quantity,
  parse: (field: string, value: unknown): number => Number(parseUint64(field, value, 'hexutil.Uint')),
} satisfies ParamDefinition<number>;

/** Parses a string; `null` is the empty string, as in geth. @throws VALUE_INVALID */
export function parseText(field: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidValueError(field, 'a string', value, cannotUnmarshal(jsonKind(value), 'string'));
}

/**
 * Parses a list; `null` is the empty list, as in geth. The size limit of the request body bounds its length.
 * @param type Go type of the list, for geth's error text
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
