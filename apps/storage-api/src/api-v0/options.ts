import { ApiError } from './api-error.ts';

/** What an option takes: its kind, and its value where the request has none. */
export type OptionSpec =
  | { readonly kind: 'boolean'; readonly default?: boolean }
  | { readonly kind: 'integer'; readonly default?: number; readonly min: number; readonly max: number }
  | { readonly kind: 'text'; readonly default?: string; readonly oneOf?: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Spec extends OptionSpec> = Spec extends { kind: 'boolean' }
  ? boolean
  : Spec extends { kind: 'integer' }
    ? number
    : Spec extends { kind: 'text' }
      ? string
      : never;

/** The values of options; `undefined` for one that is neither given nor has a default. */
export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { readonly default: unknown }
    ? ValueOf<Specs[Name]>
    : ValueOf<Specs[Name]> | undefined;
};

/**
 * Reads options from a query. Options that a command does not know are passed over, as Kubo does; of repeated ones the
 * last counts.
 * @throws ApiError 400, naming the option and what it takes
 */
export function parseOptions<Specs extends OptionSpecs>(specs: Specs, query: URLSearchParams): OptionValues<Specs> {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const given = query.getAll(name).at(-1);
    if (given === undefined) values[name] = spec.kind === 'refused' ? undefined : spec.default;
    else values[name] = parseValue(name, spec, given);
  }
  return values as OptionValues<Specs>;
}

function parseValue(name: string, spec: OptionSpec, given: string): unknown {
  switch (spec.kind) {
    case 'boolean':
      if (['', 'true', '1', 't', 'T', 'TRUE', 'True'].includes(given)) return true;
      if (['false', '0', 'f', 'F', 'FALSE', 'False'].includes(given)) return false;
      throw invalid(name, given, 'true or false');
    case 'integer': {
      const value = /^-?\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
      if (value >= spec.min && value <= spec.max) return value;
      throw invalid(name, given, `an integer from ${spec.min} to ${spec.max}`);
    }
    case 'text':
      if (given.length > 1024) throw invalid(name, given, 'at most 1024 characters');
      if (spec.oneOf && !spec.oneOf.includes(given)) throw invalid(name, given, `one of ${spec.oneOf.join(', ')}`);
      return given;
    case 'refused':
      if (given === 'false') return undefined;
      throw new ApiError(400, `option ${JSON.stringify(name)} is not supported: ${spec.reason}`);
  }
}

function invalid(name: string, given: string, expected: string): ApiError {
  return new ApiError(
    400,
    `invalid value ${JSON.stringify(given.slice(0, 64))} for option ${JSON.stringify(name)}: expected ${expected}`,
  );
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes it, such as `30s` or `1m30s`. @throws ApiError 400 */
export function parseDuration(name: string, text: string): number {
  const parts = [...text.slice(0, 64).matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)];
  const total = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text || !(total > 0)) {
    throw invalid(name, text, 'a duration such as 30s or 1m30s');
  }
  return Math.min(Math.ceil(total), 2 ** 31 - 1);
}
