import type { RpcErrorName } from './rpc-error.ts';

/**
 * A JSON Schema (draft 7, as OpenRPC takes it). One with a `title` stands once in an OpenRPC document and is referred to
 * from there on: two schemas of one title must be the same.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One parameter of a method: its name, what it takes, and how it is read. */
export interface ParamDefinition<T = unknown> {
  readonly name: string;
  /** What it takes, for documentation. */
  readonly summary: string;
  /** Its form, for documentation: `parse` is what validates. Anything when left out. */
  readonly schema?: JsonSchema;
  /** A request without it is refused. Default true. */
  readonly isRequired?: boolean;
  /** `parse` gets absent values too, as `undefined`, and `null`: what they mean depends on other parameters. Default false. */
  readonly parsesAbsent?: boolean;
  /** Reads the value; throws an error whose message names `field`, what was expected and what came. */
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

/** What a method is, besides what it does: all that documentation and metrics need. */
export interface MethodDescription {
  readonly name: string;
  /** One sentence, or a few. */
  readonly summary: string;
  /** What the result is, for documentation. */
  readonly result: string;
  /** Form of the result, for documentation. Anything when left out. */
  readonly resultSchema?: JsonSchema;
  /** Errors of its own, besides those that every request can get (`request`, `params`, `limit`, `internal`). */
  readonly errors?: readonly RpcErrorName[];
  /** How much work it is, where one lookup of a key is 1. Told with each call, so that usage can be summed. Default 1. */
  readonly cost?: number;
  /** Costs beyond that, for documentation, such as `and 10 for each block`. */
  readonly surcharge?: string;
  /** More sentences for documentation, such as rules of access. */
  readonly notes?: readonly string[];
  /** Fields of its own in an OpenRPC document (specification extensions). */
  readonly extensions?: Readonly<Record<`x-${string}`, string | number | boolean>>;
}

/** One method: validation, documentation and metrics come from here. */
export interface MethodDefinition<
  Context = unknown,
  Params extends readonly ParamDefinition[] = readonly ParamDefinition[],
> extends MethodDescription {
  readonly params: Params;
  /** Resolves with a JSON value, or with {@link RawJson}. */
  readonly handle: (params: ParamValues<Params>, context: Context) => Promise<unknown> | unknown;
}

/** A method as the dispatcher holds it, whatever its parameters are. */
export interface AnyMethod<Context> extends MethodDescription {
  readonly params: readonly ParamDefinition[];
  readonly handle: (params: readonly never[], context: Context) => Promise<unknown> | unknown;
}

/** Declares a method; its handler gets parameters of the types that they are read as. */
export function defineMethod<Context>() {
  return <const Params extends readonly ParamDefinition[]>(
    definition: MethodDefinition<Context, Params>,
  ): AnyMethod<Context> => definition as unknown as AnyMethod<Context>;
}

/** A result that is serialized already, such as one from a cache. */
export class RawJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}
