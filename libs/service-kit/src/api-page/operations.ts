/** One operation as the page shows it, from either kind of document. */
export interface ApiOperation {
  readonly id: string;
  readonly group: string;
  /** `POST /add`, or the name of a JSON-RPC method. */
  readonly title: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly isRequired: boolean; readonly text: string }[];
  /** A JSON schema, printed. */
  readonly body: string | undefined;
  /** Status or name of the response, and its condition. */
  readonly answers: readonly (readonly [string, string])[];
}

type Json = Readonly<Record<string, unknown>>;

/** Reads the documents of this repository: OpenAPI with `components.responses`, OpenRPC with inline errors. */
export function operationsOf(document: object): ApiOperation[] {
  const { paths, methods } = document as { readonly paths?: Json; readonly methods?: readonly Json[] };
  if (methods !== undefined) return methods.map(ofMethod);
  return Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ofPath(document, path, method, operation as Json)),
  );
}

function ofMethod(method: Json): ApiOperation {
  const name = String(method.name);
  const result = method.result as Json;
  const errors = (method.errors ?? []) as readonly Json[];
  return {
    id: name,
    group: name.split('_')[0] ?? name,
    title: name,
    summary: `${method.summary} Costs ${method['x-cost']} credits.`,
    parameters: (method.params as readonly Json[]).map((param) => ({
      name: String(param.name),
      isRequired: param.required === true,
      text: String(param.summary ?? ''),
    })),
    body: undefined,
    answers: [
      ['result', String(result.summary ?? '')],
      ...errors.map(({ code, message }) => [String(code), String(message)] as const),
    ],
  };
}

function ofPath(document: object, path: string, method: string, operation: Json): ApiOperation {
  const content = (operation.requestBody as Json | undefined)?.content as Json | undefined;
  const schema = Object.entries(content ?? {}).map(([type, media]) => ({ [type]: (media as Json).schema }))[0];
  return {
    id: String(operation.operationId),
    group: String((operation.tags as readonly string[] | undefined)?.[0] ?? 'API'),
    title: `${method.toUpperCase()} ${path}`,
    summary: String(operation.summary ?? ''),
    parameters: ((operation.parameters ?? []) as readonly Json[]).map((parameter) => ({
      name: String(parameter.name),
      isRequired: parameter.required === true,
      text: [parameter.description, wordsOf(parameter.schema as Json)].filter(Boolean).join('; '),
    })),
    body: schema && JSON.stringify(schema, null, 2),
    answers: Object.entries(operation.responses as Json).map(([status, response]) => [
      status,
      String(resolved(document, response as Json).description ?? ''),
    ]),
  };
}

/** Describes the schema of a parameter in a few words. */
function wordsOf(schema: Json): string {
  const { type, enum: choices, minimum, maximum, default: usual } = schema;
  const words = [Array.isArray(choices) ? choices.join(', ') : String(type ?? '')];
  if (minimum !== undefined) words.push(`from ${minimum}`);
  if (maximum !== undefined) words.push(`up to ${maximum}`);
  if (usual !== undefined) words.push(`default ${JSON.stringify(usual)}`);
  return words.join(', ');
}

/** Resolves a `$ref` of this document. */
function resolved(document: object, value: Json): Json {
  const { $ref } = value;
  if (typeof $ref !== 'string') return value;
  return $ref
    .split('/')
    .slice(1)
    .reduce<Json>((at, name) => at[name] as Json, document as Json);
}
