import type { AnyMethod, JsonSchema } from './method.ts';
import { rpcErrors } from './rpc-error.ts';

export interface OpenRpcOptions {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
}

/** An OpenRPC document (specification 1.3), ready for `JSON.stringify`. */
export interface OpenRpcDocument {
  readonly openrpc: string;
  readonly info: OpenRpcOptions;
  readonly methods: readonly JsonSchema[];
  readonly components: { readonly schemas: JsonSchema; readonly errors: JsonSchema };
}

/** Builds the result of `rpc.discover` from the method definitions. Schemas with a title become components. */
export function openRpcDocument<Context>(
  methods: readonly AnyMethod<Context>[],
  info: OpenRpcOptions,
): OpenRpcDocument {
  const schemas: Record<string, unknown> = {};
  const described = methods.map((method) => describe(method, schemas));
  const errors = Object.fromEntries(
    Object.entries(rpcErrors).map(([name, { code, meaning, remedy }]) => [
      name,
      { code, message: meaning, data: remedy },
    ]),
  );
  return { openrpc: '1.3.2', info, methods: described, components: { schemas, errors } };
}

function describe<Context>(method: AnyMethod<Context>, schemas: Record<string, unknown>): JsonSchema {
  const { name, summary, params, result, resultSchema = {}, errors = [], cost = 1, surcharge, extensions } = method;
  return {
    name,
    summary,
    paramStructure: 'either',
    params: params.map(({ name, summary, schema = {}, isRequired = true }) => ({
      name,
      summary,
      required: isRequired,
      schema: hoisted(schema, schemas),
    })),
    result: { name: 'result', summary: result, schema: hoisted(resultSchema, schemas) },
    errors: errors.map((error) => ({ $ref: `#/components/errors/${error}` })),
    'x-cost': cost,
    ...(surcharge !== undefined && { 'x-surcharge': surcharge }),
    ...extensions,
  };
}

/** Moves each titled part of a schema to the components. */
function hoisted(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoisted(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const copy = (): JsonSchema =>
    Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hoisted(part, schemas)]));
  const title = 'title' in value ? value.title : undefined;
  if (typeof title !== 'string') return copy();
  if (!Object.hasOwn(schemas, title)) schemas[title] = copy();
  return { $ref: `#/components/schemas/${title}` };
}
