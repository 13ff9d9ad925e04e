import { type Hex, InvalidValueError, parseData } from '@cairn/block-model';

type Parse<T> = (field: string, value: unknown) => T;
export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws VALUE_INVALID for anything but an object */
export function parseObject(field: string, value: unknown, expected = 'an object'): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidValueError(field, expected, value);
}

/** Most entries that a list or a table of a request may have; each costs gas or time before any code runs. */
export const entriesMax = 10_000;

/** @throws VALUE_INVALID for anything but a list of what `parse` takes, naming the entry */
export function parseList<T>(field: string, value: unknown, parse: Parse<T>): T[] {
  if (!Array.isArray(value)) throw new InvalidValueError(field, 'a list', value);
  if (value.length > entriesMax) throw new InvalidValueError(field, `at most ${entriesMax} entries`, value.length);
  return value.map((entry, index) => parse(`${field}[${index}]`, entry));
}

/** A parser of single fields of `json`, which takes `null` for absent as nodes do. */
export function optionalFields(field: string, json: JsonObject) {
  return <T>(name: string, parse: Parse<T>): T | undefined => {
    const value = json[name];
    return value === undefined || value === null ? undefined : parse(`${field}.${name}`, value);
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
  throw new InvalidValueError(field, 'true or false', value);
}
