import { parseCid } from '@cairn/cid';
import { bytesFromBase64, utf8FromText } from '@cairn/platform';
import { addEntry, assertDepth, IpldFloat, type IpldValue } from './ipld-value.ts';

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** Space, tab, carriage return and line feed. */
const spaces = new Set([0x20, 0x09, 0x0d, 0x0a]);
const [int64Min, int64Max] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * Decodes JSON as go-ipld-prime does: numbers with a fraction or an exponent are floats, others integers of 64 bits. With
 * `isDag`, a map with the single key `"/"` is a link if its value is text, and bytes if it is `{"bytes": …}`.
 * @throws Error
 */
export function readJson(bytes: Uint8Array, isDag: boolean): IpldValue {
  return new JsonReader(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isDag).readAll();
}

class JsonReader {
  readonly #text: string;
  readonly #isDag: boolean;
  #at = 0;

  constructor(json: string, isDag: boolean) {
    this.#text = json;
    this.#isDag = isDag;
  }

  readAll(): IpldValue {
    const value = this.#value(0);
    if (!/^[ \t\r\n\0]*$/.test(this.#text.slice(this.#at)))
      throw new Error('unexpected content after end of json object');
    return value;
  }

  #value(depth: number): IpldValue {
    const next = this.#peek();
    if (next === '{') return this.#map(depth);
    if (next === '[') return this.#list(depth);
    if (next === '"') return this.#string();
    if (next === '-' || (next >= '0' && next <= '9')) return this.#number();
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    throw new Error(`invalid char while expecting start of value: ${named(next)}`);
  }

  #map(depth: number): IpldValue {
    assertDepth(depth);
    this.#at++;
    const map = new Map<string, IpldValue>();
    while (this.#continues('}', 'map', map.size > 0)) {
      const next = this.#peek();
      if (next !== '"') throw new Error(`invalid char while expecting start of key: ${named(next)}`);
      const key = this.#string();
      const colon = this.#peek();
      if (colon !== ':') throw new Error(`expected colon after map key; got ${named(colon)}`);
      this.#at++;
      addEntry(map, key, this.#value(depth + 1));
    }
    return this.#isDag ? special(map) : map;
  }

  #list(depth: number): IpldValue {
    assertDepth(depth);
    this.#at++;
    const list: IpldValue[] = [];
    while (this.#continues(']', 'array', list.length > 0)) list.push(this.#value(depth + 1));
    return list;
  }

  /** Reads the comma before another entry, or the end. As in refmt, a comma can precede the end. */
  #continues(end: string, kind: string, hasEntries: boolean): boolean {
    let next = this.#peek();
    if (hasEntries && next === ',') {
      this.#at++;
      next = this.#peek();
    } else if (hasEntries && next !== end) {
      throw new Error(`expected comma or ${kind} close after ${kind} value; got ${named(next)}`);
    }
    if (next !== end) return true;
    this.#at++;
    return false;
  }

  #string(): string {
    let end = this.#at + 1;
    for (; this.#text[end] !== '"'; end++) {
      if (this.#text[end] === '\\') end++;
      if (end >= this.#text.length) throw new Error('unexpected EOF');
    }
    // JSON.parse refuses control characters and unknown escapes.
    const value: unknown = JSON.parse(this.#text.slice(this.#at, end + 1));
    this.#at = end + 1;
    // Go replaces a lone surrogate by U+FFFD.
    return String(value).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
  }

  #number(): IpldValue {
    const [digits = '', fraction, exponent] = this.#match(number) ?? [];
    if (digits === '') throw new Error('invalid byte in numeric literal');
    if (fraction === undefined && exponent === undefined) {
      const value = digits.length > 20 ? undefined : BigInt(digits);
      if (value === undefined || value < int64Min || value > int64Max)
        throw new Error(`strconv.ParseInt: parsing ${JSON.stringify(digits.slice(0, 100))}: value out of range`);
      return value;
    }
    const value = Number(digits);
    if (!Number.isFinite(value))
      throw new Error(`strconv.ParseFloat: parsing ${JSON.stringify(digits.slice(0, 100))}: value out of range`);
    return new IpldFloat(value);
  }

  /** Returns the next character that is not a space. @throws Error at the end */
  #peek(): string {
    while (spaces.has(this.#text.charCodeAt(this.#at))) this.#at++;
    const next = this.#text[this.#at];
    if (next === undefined) throw new Error('unexpected EOF');
    return next;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}

const words: readonly (readonly [string, IpldValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

/** Returns the link or the bytes that a map of DAG-JSON represents, or the map itself. @throws Error */
function special(map: ReadonlyMap<string, IpldValue>): IpldValue {
  const inner = map.get('/');
  if (map.size !== 1 || inner === undefined) return map;
  if (typeof inner === 'string') return parseCid(inner);
  if (!(inner instanceof Map) || inner.size !== 1) return map;
  const base64: unknown = inner.get('bytes');
  if (typeof base64 !== 'string') return map;
  if (!/^[A-Za-z\d+/\r\n]*={0,2}$/.test(base64)) throw new Error('illegal base64 data');
  return new Uint8Array(bytesFromBase64(base64));
}

const signs: Readonly<Record<string, string>> = {
  ',': 'comma',
  ':': 'colon',
  '{': 'map open',
  '}': 'map close',
  '[': 'array open',
  ']': 'array close',
  '"': 'quote',
};

function named(character: string): string {
  return signs[character] ?? `0x${(utf8FromText(character)[0] ?? 0).toString(16)}`;
}
