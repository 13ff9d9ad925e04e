/** One parameter of a method: its name, what it takes, and how it is read. */
export interface ParamDefinition<T = unknown> {
  readonly name: string;
  /** What it takes, for documentation. */
  readonly summary: string;
  /** A request without it is refused. Default true. */
  readonly isRequired?: boolean;
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

/** One method: validation, documentation and metrics come from here. */
export interface MethodDefinition<
  Context = unknown,
  Params extends readonly ParamDefinition[] = readonly ParamDefinition[],
> {
  readonly name: string;
  readonly summary: string;
  readonly params: Params;
  /** What the result is, for documentation. */
  readonly result: string;
  /** Resolves with a JSON value, or with {@link RawJson}. */
  readonly handle: (params: ParamValues<Params>, context: Context) => Promise<unknown> | unknown;
}

/** A method as the dispatcher holds it, whatever its parameters are. */
export interface AnyMethod<Context> {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly ParamDefinition[];
  readonly result: string;
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
