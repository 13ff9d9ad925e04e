import { InvalidValueError, parseAddress, parseHash, parseQuantity } from '@cairn/block-model';
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
  parse: (field: string, value: unknown): number => Number(parseQuantity(field, value)),
} satisfies ParamDefinition<number>;

/** A list, of so many items at most. @throws VALUE_INVALID */
export function parseList<T>(
  field: string,
  value: unknown,
  lengthMax: number,
  parse: (field: string, value: unknown) => T,
): T[] {
  if (!Array.isArray(value)) throw new InvalidValueError(field, 'a list', value);
  if (value.length > lengthMax) throw new InvalidValueError(field, `a list of ${lengthMax} at most`, value.length);
  return value.map((item, index) => parse(`${field}[${index}]`, item));
}
