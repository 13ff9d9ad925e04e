import { base64FromBytes, compareBytes, utf8FromText } from '@cairn/platform';
import { IpldFloat, type IpldValue } from './ipld-value.ts';

const int64Max = 2n ** 63n - 1n;

/** Encodes DAG-JSON as go-ipld-prime does: without spaces, keys sorted by their bytes. @throws Error */
export function writeDagJson(value: IpldValue): Uint8Array {
  return utf8FromText(print(value, { isDag: true, line: '', depth: 0 }));
}

/** Encodes plain JSON as go-ipld-prime does: indented with tabs, keys in their order. @throws Error for links and bytes */
export function writePlainJson(value: IpldValue): Uint8Array {
  const isComposite = Array.isArray(value) || value instanceof Map;
  return utf8FromText(print(value, { isDag: false, line: '\n', depth: 0 }) + (isComposite ? '\n' : ''));
}

interface Style {
  readonly isDag: boolean;
  readonly line: string;
  readonly depth: number;
}

function print(value: IpldValue, style: Style): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') {
    if (value > int64Max) throw new Error('unsigned integer out of range of int64 type');
    return value.toString();
  }
  if (value instanceof IpldFloat) return printFloat(value.value);
  const inner = { ...style, depth: style.depth + 1 };
  if (Array.isArray(value))
    return enclose(
      '[]',
      value.map((each: IpldValue) => print(each, inner)),
      style,
    );
  if (value instanceof Map) {
    const entries: (readonly [string, IpldValue])[] = [...value];
    if (style.isDag) entries.sort(([one], [other]) => compareBytes(utf8FromText(one), utf8FromText(other)));
    const colon = style.line === '' ? ':' : ': ';
    return enclose(
      '{}',
      entries.map(([key, each]) => `${quote(key)}${colon}${print(each, inner)}`),
      style,
    );
  }
  if (value instanceof Uint8Array) {
    if (!style.isDag) throw new Error('cannot marshal IPLD bytes to this codec');
    return `{"/":{"bytes":"${base64FromBytes(value).replace(/=+$/, '')}"}}`;
  }
  if (!style.isDag) throw new Error('cannot marshal IPLD links to this codec');
  return `{"/":"${String(value)}"}`;
}

function enclose(brackets: string, items: readonly string[], { line, depth }: Style): string {
  const [open, close] = brackets;
  if (items.length === 0) return brackets;
  const indent = (levels: number) => (line === '' ? '' : line + '\t'.repeat(levels));
  return `${open}${items.map((item) => `${indent(depth + 1)}${item}`).join(',')}${indent(depth)}${close}`;
}

/**
 * Escapes the same characters as refmt: control characters, two of them without their short forms, and both line
 * separators.
 */
function quote(text: string): string {
  return JSON.stringify(text).replace(/\\b|\\f|[\u2028\u2029]|\\\\/g, (found) => escapes[found] ?? found);
}

const escapes: Readonly<Record<string, string>> = {
  '\\b': '\\u0008',
  '\\f': '\\u000c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

function printFloat(value: number): string {
  // Names of these values in Go.
  if (!Number.isFinite(value))
    throw new Error(`unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  return Object.is(value, -0) ? '-0' : String(value);
}
