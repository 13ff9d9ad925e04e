/** JSON Schema, as far as the forms read it. */
export interface Schema {
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly $ref?: string;
}

export interface Param {
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly Param[];
  readonly 'x-cost'?: number;
}

/** OpenRPC document (https://spec.open-rpc.org). */
export interface OpenRpc {
  readonly methods: readonly Method[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Follows the reference of a schema into the components. */
function resolved(schema: Schema, { components }: Pick<OpenRpc, 'components'>): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return (name !== undefined && components.schemas[name]) || schema;
}

/** Form field of a schema. */
export type FieldKind =
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text'; readonly pattern?: string; readonly suggestions: readonly string[] }
  | { readonly kind: 'number' }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [string, Schema])[] }
  | { readonly kind: 'json' };

/** Chooses the field for a schema. Alternatives of texts become one text field with suggestions. */
export function fieldOf(schema: Schema, document: Pick<OpenRpc, 'components'>): FieldKind {
  const { type, enum: values, pattern, properties, oneOf } = resolved(schema, document);
  if (type === 'boolean') return { kind: 'flag' };
  if (values !== undefined) return { kind: 'choice', values };
  if (type === 'integer' || type === 'number') return { kind: 'number' };
  if (type === 'string') return { kind: 'text', suggestions: [], ...(pattern !== undefined && { pattern }) };
  if (oneOf !== undefined) {
    const parts = oneOf.map((one) => resolved(one, document));
    if (parts.some((part) => part.type === 'string'))
      return { kind: 'text', suggestions: parts.flatMap((part) => part.enum ?? []) };
    return { kind: 'json' };
  }
  const fields = Object.entries(properties ?? {});
  return type === 'object' && fields.length > 0 ? { kind: 'fields', fields } : { kind: 'json' };
}

/** Value of a form: the text of a field, or the values of its fields by name. Empty texts are absent. */
export type FormValue = string | boolean | { readonly [name: string]: FormValue | undefined } | undefined;

/** Fault in the value of a field. */
export class FieldFault extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Parameter from a form value; undefined if nothing was entered.
 * @throws FieldFault
 */
function parameterOf(field: string, value: FormValue, schema: Schema, document: Pick<OpenRpc, 'components'>): unknown {
  const kind = fieldOf(schema, document);
  if (kind.kind === 'fields') {
    const inner = typeof value === 'object' ? value : {};
    const entries = kind.fields
      .map(([name, part]) => [name, parameterOf(`${field}.${name}`, inner[name], part, document)] as const)
      .filter(([, one]) => one !== undefined);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  if (kind.kind === 'flag') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const text = value.trim();
  if (kind.kind === 'choice') return text;
  if (kind.kind === 'number') return numberOf(field, text);
  // Alternatives of a text, such as a block object, are entered as JSON.
  if (kind.kind === 'json' || /^[[{]/.test(text)) return jsonOf(field, text);
  if (kind.pattern !== undefined && !new RegExp(kind.pattern).test(text))
    throw new FieldFault(field, `Expected ${words[resolved(schema, document).title ?? ''] ?? kind.pattern}.`);
  return text;
}

const words: Readonly<Record<string, string>> = {
  Hash: '"0x" and 64 hexadecimal digits',
  Address: '"0x" and 40 hexadecimal digits',
  Quantity: 'a hexadecimal number without leading zeros, such as "0x1b4"',
  Bytes: '"0x" and an even number of hexadecimal digits',
};

function numberOf(field: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new FieldFault(field, 'Expected a whole number.');
  return Number(text);
}

function jsonOf(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldFault(field, 'Expected JSON.');
  }
}

/**
 * Parameters of a call in order. Absent ones at the end are left out; those before a present one are null.
 * @throws FieldFault
 */
export function paramsOf(
  method: Method,
  values: Readonly<Record<string, FormValue>>,
  document: Pick<OpenRpc, 'components'>,
): readonly unknown[] {
  const params = method.params.map(({ name, required, schema }) => {
    const value = parameterOf(name, values[name], schema, document);
    if (value === undefined && required && fieldOf(schema, document).kind === 'flag') return false;
    if (value === undefined && required) throw new FieldFault(name, 'This parameter is required.');
    return value;
  });
  while (params.length > 0 && params.at(-1) === undefined) params.pop();
  return params.map((param) => param ?? null);
}
