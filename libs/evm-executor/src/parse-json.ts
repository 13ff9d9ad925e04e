import { cannotUnmarshal, type Hex, InvalidValueError, jsonKind, parseData, parseMember } from '@cairn/block-model';

type Parse<T> = (field: string, value: unknown) => T;
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads an object.
 * @param type the Go type that geth reads it with; there `null` is an object without members
 * @throws VALUE_INVALID for anything but an object
 */
export function parseObject(field: string, value: unknown, expected = 'an object', type?: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  if (value === null && type !== undefined) return {};
  throw new InvalidValueError(field, expected, value, type && cannotUnmarshal(jsonKind(value), type));
}

/** Most entries that a list or a table of a request may have; each costs gas or time before any code runs. */
export const entriesMax = 10_000;

/**
 * Reads a list of what `parse` takes.
 * @param type the Go type that geth reads it with
 * @throws VALUE_INVALID naming the entry
 */
export function parseList<T>(field: string, value: unknown, parse: Parse<T>, type?: string): T[] {
  if (!Array.isArray(value))
    throw new InvalidValueError(field, 'a list', value, type && cannotUnmarshal(jsonKind(value), type));
  if (value.length > entriesMax) throw new InvalidValueError(field, `at most ${entriesMax} entries`, value.length);
  return value.map((entry, index) => parse(`${field}[${index}]`, entry));
}

/** A struct that geth reads an object into; one without names for JSON has members with a capital in geth's messages. */
export interface RequestStruct {
  readonly name: string;
  readonly hasJsonNames: boolean;
}

/** Structs of geth 1.17.5 (internal/ethapi, internal/ethapi/override). */
export const structs = {
  call: { name: 'TransactionArgs', hasJsonNames: true },
  account: { name: 'OverrideAccount', hasJsonNames: true },
  block: { name: 'BlockOverrides', hasJsonNames: false },
  simulatedBlock: { name: 'simBlock', hasJsonNames: false },
  simulation: { name: 'simOpts', hasJsonNames: false },
} as const satisfies Record<string, RequestStruct>;

export interface FieldOptions {
  /** The member has a decoder of its own in geth. Default false. */
  readonly isOpaque?: boolean;
}

/** A parser of single fields of `json`, which takes `null` for absent as nodes do. */
export function optionalFields(field: string, json: JsonObject, struct?: RequestStruct) {
  return <T>(name: string, parse: Parse<T>, { isOpaque = false }: FieldOptions = {}): T | undefined => {
    const value = json[name];
    if (value === undefined || value === null) return undefined;
    const read = () => parse(`${field}.${name}`, value);
    return struct === undefined ? read() : parseMember(struct, goName(struct, name), read, isOpaque);
  };
}

function goName({ hasJsonNames }: RequestStruct, name: string): string {
  return hasJsonNames ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/**
 * A parser of single fields of `json` that have to be there (geth's gencodec).
 * @param struct its name in geth's messages
 * @throws VALUE_INVALID where one is missing
 */
export function requiredFields(field: string, json: JsonObject, struct: string) {
  return <T>(name: string, parse: Parse<T>): T => {
    const value = json[name];
    if (value !== undefined && value !== null)
      return parseMember({ name: struct }, name, () => parse(`${field}.${name}`, value));
    const reason = `missing required field '${name}' for ${struct}`;
    throw new InvalidValueError(`${field}.${name}`, 'to be there', value, reason);
  };
}

/** The object without its undefined fields. */
export function definedOnly<T extends object>(object: T): T {
  const defined: Partial<T> = {};
  // Deleting from the object would make each later look into it slow.
  for (const name in object) if (object[name] !== undefined) defined[name] = object[name];
  return defined as T;
}

/** @throws VALUE_INVALID for anything but 32 bytes */
export function parseWord(field: string, value: unknown): Hex {
  return parseData(field, value, 32);
}

/** @throws VALUE_INVALID for anything but true and false */
export function parseFlag(field: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidValueError(field, 'true or false', value, cannotUnmarshal(jsonKind(value), 'bool'));
}
