import type { RpcErrorName } from './rpc-error.ts';

/**
 * A JSON Schema (draft 7, as in OpenRPC). A schema with a `title` becomes a component of the OpenRPC document, so two schemas with one
 * title must be equal.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One parameter of a method: name, description and parser. */
export interface ParamDefinition<T = unknown> {
  readonly name: string;
  /** Accepted values, for documentation and errors. */
  readonly summary: string;
  /** Schema for documentation; `parse` validates. Default: any value. */
  readonly schema?: JsonSchema;
  /** Whether requests without the parameter are refused. Default true. */
  readonly isRequired?: boolean;
  /** Whether `parse` also gets absent values (`undefined`) and `null`, if their meaning depends on other parameters. Default false. */
  readonly parsesAbsent?: boolean;
  /** Parses the value. Throws an error that names `field`, the expected form and the given value. */
  readonly parse: (field: string, value: unknown) => T;
}

type ParamValue<Definition> = Definition extends {
  readonly isRequired: false;
  readonly parse: (field: string, value: unknown) => infer T;
}
  ? T | undefined
  : Definition extends { readonly parse: (field: string, value: unknown) => infer T }
    ? T
    : never;

/** The values of parameters, in order. */
export type ParamValues<Params extends readonly ParamDefinition[]> = {
  readonly [Index in keyof Params]: ParamValue<Params[Index]>;
};

/** Description of a method for documentation and metrics. */
export interface MethodDescription {
  readonly name: string;
  /** One or a few sentences. */
  readonly summary: string;
  /** Description of the result. */
  readonly result: string;
  /** Schema of the result. Default: any value. */
  readonly resultSchema?: JsonSchema;
  /** Errors of this method, in addition to those of every request (`request`, `params`, `limit`, `internal`). */
  readonly errors?: readonly RpcErrorName[];
  /** Work relative to one key lookup. Reported with each call, so that usage can be summed. Default 1. */
  readonly cost?: number;
  /** Additional costs, for documentation, such as `and 10 for each block`. */
  readonly surcharge?: string;
  /** Further sentences for documentation, such as access rules. */
  readonly notes?: readonly string[];
  /** Specification extensions in the OpenRPC document. */
  readonly extensions?: Readonly<Record<`x-${string}`, string | number | boolean>>;
}

/** One method. Validation, documentation and metrics are derived from it. */
export interface MethodDefinition<
  Context = unknown,
  Params extends readonly ParamDefinition[] = readonly ParamDefinition[],
> extends MethodDescription {
  readonly params: Params;
  /** Resolves with a JSON value, or with {@link RawJson}. */
  readonly handle: (params: ParamValues<Params>, context: Context) => Promise<unknown> | unknown;
}

/** A method with any parameters, as the dispatcher stores it. */
export interface AnyMethod<Context> extends MethodDescription {
  readonly params: readonly ParamDefinition[];
  readonly handle: (params: readonly never[], context: Context) => Promise<unknown> | unknown;
}

/** Defines a method. Its handler gets parameters with the types that their parsers return. */
export function defineMethod<Context>() {
  return <const Params extends readonly ParamDefinition[]>(
    definition: MethodDefinition<Context, Params>,
  ): AnyMethod<Context> => definition as unknown as AnyMethod<Context>;
}

/** A serialized result, for example from a cache. */
export class RawJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}
