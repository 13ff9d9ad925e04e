import { ApiError, PlainApiError } from './api-error.ts';
import { parseGoTimerMs } from './go-duration-ns.ts';
import { type IntegerType, parseGoBoolean, parseGoInteger } from './go-values.ts';

interface NamedOption {
  /** Kubo's second name of the option, such as `w` for `wrap-with-directory`. */
  readonly alias?: string;
}

/** Definition of an option: its kind, and its value where the request has none. */
export type OptionSpec = NamedOption &
  (
    | { readonly kind: 'boolean'; readonly default?: boolean }
    | {
        readonly kind: 'integer';
        /** Kubo's type of the option, which determines the accepted form. Default `int`. */
        readonly type?: IntegerType;
        readonly default?: number;
        readonly min: number;
        readonly max: number;
      }
    | {
        readonly kind: 'text';
        readonly default?: string;
        readonly oneOf?: readonly string[];
        /** Default 1024. */
        readonly charactersMax?: number;
      }
    | { readonly kind: 'refused'; readonly reason: string }
  );

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec extends OptionSpec> = Spec extends { kind: 'boolean' }
  ? boolean
  : Spec extends { kind: 'integer' }
    ? number
    : Spec extends { kind: 'text' }
      ? string
      : never;

/** Values of options; `undefined` for one that is neither given nor has a default. */
export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { readonly default: unknown }
    ? ValueOf<Specs[Name]>
    : ValueOf<Specs[Name]> | undefined;
};

/**
 * Parses options of a query. Unknown options are ignored, as in Kubo.
 * @throws PlainApiError 400 for an option that is repeated or of another type, in Kubo's words; ApiError 400 for a
 * value out of range
 */
export function parseOptions<Specs extends OptionSpecs>(specs: Specs, query: URLSearchParams): OptionValues<Specs> {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const given = singleValue(name, query, spec.alias);
    if (given === undefined) values[name] = spec.kind === 'refused' ? undefined : spec.default;
    else values[name] = parseValue(name, spec, given);
  }
  return values as OptionValues<Specs>;
}

/** Returns the single value of an option under either of its names. @throws PlainApiError 400 for a repeated one */
function singleValue(name: string, query: URLSearchParams, alias: string | undefined): string | undefined {
  for (const each of alias === undefined ? [name] : [name, alias]) {
    const given = query.getAll(each);
    if (given.length > 1)
      throw new PlainApiError(400, `expected key ${name} to have only a single value, received [${given.join(' ')}]`);
    if (given[0] !== undefined) return given[0];
  }
  return undefined;
}

function parseValue(name: string, spec: OptionSpec, given: string): unknown {
  switch (spec.kind) {
    case 'boolean': {
      const value = parseGoBoolean(given);
      if (value === undefined) throw unconvertible(name, given, 'bool');
      return value;
    }
    case 'integer': {
      const parsed = parseGoInteger(given, spec.type ?? 'int');
      if (parsed === undefined) throw unconvertible(name, given, spec.type ?? 'int');
      const value = Number(parsed);
      if (Number.isSafeInteger(value) && value >= spec.min && value <= spec.max) return value;
      throw invalid(name, given, `an integer from ${spec.min} to ${spec.max}`);
    }
    case 'text':
      if (given.length > (spec.charactersMax ?? 1024))
        throw invalid(name, given, `at most ${spec.charactersMax ?? 1024} characters`);
      if (spec.oneOf && !spec.oneOf.includes(given)) throw invalid(name, given, `one of ${spec.oneOf.join(', ')}`);
      return given;
    case 'refused':
      if (parseGoBoolean(given) === false) return undefined;
      throw new ApiError(400, `option ${JSON.stringify(name)} is not supported: ${spec.reason}`);
  }
}

/** Kubo's error for a value of another type. */
function unconvertible(name: string, given: string, type: string): PlainApiError {
  const value = given === '' ? 'empty value' : `value ${JSON.stringify(given)}`;
  return new PlainApiError(400, `could not convert ${value} to type "${type}" (for option "-${name}")`);
}

function invalid(name: string, given: string, expected: string): ApiError {
  return new ApiError(
    400,
    `invalid value ${JSON.stringify(given.slice(0, 64))} for option ${JSON.stringify(name)}: expected ${expected}`,
  );
}

/** Parses a duration in Go's form, such as `30s` or `1m30s`, to milliseconds. A negative one is 0. @throws ApiError 400 */
export function parseDuration(name: string, text: string): number {
  try {
    return parseGoTimerMs(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalid(name, text, 'a duration such as 30s or 1m30s');
  }
}
