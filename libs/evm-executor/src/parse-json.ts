import { cannotUnmarshal, type Hex, InvalidValueError, jsonKind, parseData, parseMember } from '@cairn/block-model';

type Parse<T> = (field: string, value: unknown) => T;
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses an object.
 * @param type Go type that geth decodes into; with it, `null` is an object without members
 * @throws VALUE_INVALID for anything but an object
 */
export function parseObject(field: string, value: unknown, expected = 'an object', type?: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  if (value === null && type !== undefined) return {};
  throw new InvalidValueError(field, expected, value, type && cannotUnmarshal(jsonKind(value), type));
}

/** Maximum number of entries in a list or map of a request. Each entry costs gas or time before any code runs. */
export const entriesMax = 10_000;

/**
 * Parses a list with `parse` for each entry.
 * @param type Go type that geth decodes into
 * @throws VALUE_INVALID naming the entry
 */
export function parseList<T>(field: string, value: unknown, parse: Parse<T>, type?: string): T[] {
  if (!Array.isArray(value))
    throw new InvalidValueError(field, 'a list', value, type && cannotUnmarshal(jsonKind(value), type));
  if (value.length > entriesMax) throw new InvalidValueError(field, `at most ${entriesMax} entries`, value.length);
  return value.map((entry, index) => parse(`${field}[${index}]`, entry));
}

/** Go struct that geth decodes an object into. Without JSON tags, geth's messages name its fields with a capital letter. */
export interface RequestStruct {
  readonly name: string;
  readonly hasJsonNames: boolean;
}

/** Structs of geth 1.17.5 (internal/ethapi, internal/ethapi/override). */
export const gethStructs = {
  call: { name: 'TransactionArgs', hasJsonNames: true },
  account: { name: 'OverrideAccount', hasJsonNames: true },
  block: { name: 'BlockOverrides', hasJsonNames: false },
  simulatedBlock: { name: 'simBlock', hasJsonNames: false },
  simulation: { name: 'simOpts', hasJsonNames: false },
} as const satisfies Record<string, RequestStruct>;

export interface FieldOptions {
  /** The field has its own decoder in geth, so that geth's message does not name the struct. Default false. */
  readonly isOpaque?: boolean;
}

/** Creates a parser for single optional fields of `json`. As in nodes, `null` means absent. */
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
 * Creates a parser for single required fields of `json` (geth's gencodec).
 * @param struct name of the struct in geth's messages
 * @throws VALUE_INVALID if a field is missing
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

/** Copies an object without its undefined fields. */
export function withoutUndefined<T extends object>(object: T): T {
  const defined: Partial<T> = {};
  // A copy, since deleting fields turns the object into a slow dictionary.
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
