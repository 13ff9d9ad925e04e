import { concatBytes, copyBytes, textFromUtf8, utf8FromText } from '@cairn/platform';
import { bases } from 'multiformats/basics';
import { InvalidMultibaseError } from './errors.ts';
import {
  decodeBase2,
  decodeBase16,
  decodeBase32,
  decodeBase64,
  decodeEmoji,
  decodeNumber,
} from './multibase-decode.ts';

/** Text encoding of bytes that is identified by its first character (https://github.com/multiformats/multibase). */
export interface Multibase {
  readonly name: string;
  /** Code point of the prefix. */
  readonly code: number;
  /** Maximum number of bytes that one call encodes. */
  readonly bytesMax: number;
  /** Maximum number of bytes of text that one call decodes. */
  readonly textBytesMax: number;
}

const KiB = 1024;
/** Input limits that bound the CPU time of one call to about 15 ms. Bases that are not a power of two take quadratic time. */
const limits = { bytesMax: 256 * KiB, numberBytesMax: 4 * KiB, base2BytesMax: 32 * KiB } as const;

/** Defines a multibase. `expansion` is the maximum number of text bytes for one byte. */
function define(name: string, prefix: string, bytesMax: number = limits.bytesMax, expansion = 2): Multibase {
  return { name, code: prefix.codePointAt(0) ?? 0, bytesMax, textBytesMax: bytesMax * expansion + 16 };
}
const defineNumber = (name: string, prefix: string) => define(name, prefix, limits.numberBytesMax);

/** Encodings of Kubo 0.42, which lacks base8, base10 and base32z. */
export const multibases: readonly Multibase[] = [
  define('identity', '\0'),
  define('base2', '0', limits.base2BytesMax, 8),
  define('base32upper', 'B'),
  define('base32padupper', 'C'),
  define('base16upper', 'F'),
  defineNumber('base36upper', 'K'),
  define('base64pad', 'M'),
  define('base32hexpadupper', 'T'),
  define('base64urlpad', 'U'),
  define('base32hexupper', 'V'),
  defineNumber('base58flickr', 'Z'),
  define('base32', 'b'),
  define('base32pad', 'c'),
  define('base16', 'f'),
  defineNumber('base36', 'k'),
  define('base64', 'm'),
  define('base32hexpad', 't'),
  define('base64url', 'u'),
  define('base32hex', 'v'),
  defineNumber('base58btc', 'z'),
  define('base256emoji', '🚀', limits.base2BytesMax, 4),
];

const byCode: ReadonlyMap<number, Multibase> = new Map(multibases.map((base) => [base.code, base]));
const byName: ReadonlyMap<string, Multibase> = new Map(multibases.map((base) => [base.name, base]));
const encoders: ReadonlyMap<string, { readonly encoder: { baseEncode(bytes: Uint8Array): string } }> = new Map(
  Object.values(bases).map((base) => [base.name as string, base]),
);

/** Finds a multibase by name or prefix; `undefined` if there is none. */
export function findMultibase(nameOrPrefix: string): Multibase | undefined {
  const [first = '', ...rest] = nameOrPrefix;
  return rest.length === 0 ? byCode.get(first.codePointAt(0) ?? -1) : byName.get(nameOrPrefix);
}

/** Returns the multibase of a text's prefix; `undefined` if there is none. */
export function multibaseOf(text: string): Multibase | undefined {
  return byCode.get(text.codePointAt(0) ?? -1);
}

/** Encodes bytes and adds the prefix. The result is text, except for `identity`. @throws MULTIBASE_INVALID */
export function encodeMultibase(base: Multibase, bytes: Uint8Array): Uint8Array {
  if (bytes.length > base.bytesMax) throw tooLong(base, base.bytesMax, bytes.length);
  const prefix = utf8FromText(String.fromCodePoint(base.code));
  if (base.name === 'identity') return concatBytes([prefix, bytes]);
  const codec = encoders.get(base.name);
  if (codec === undefined) throw new Error(`No encoder for ${base.name}.`);
  return concatBytes([prefix, utf8FromText(codec.encoder.baseEncode(bytes))]);
}

/**
 * Decodes a text that starts with the prefix of its multibase, as Go's decoders do: base16, base32 and base36 in either
 * case; line ends in base32 and base64 are skipped.
 * @throws MULTIBASE_INVALID with the message of go-multibase
 */
export function decodeMultibase(text: Uint8Array): { readonly base: Multibase; readonly bytes: Uint8Array } {
  if (text.length === 0) throw new InvalidMultibaseError('cannot decode multibase for zero length string');
  const base = multibaseOf(textFromUtf8(text.subarray(0, 4)));
  if (base === undefined) throw new InvalidMultibaseError('selected encoding not supported');
  if (text.length > base.textBytesMax) throw tooLong(base, base.textBytesMax, text.length);
  const prefixBytes = base.code < 0x80 ? 1 : 4;
  return { base, bytes: decodeBody(base.name, copyBytes(text.subarray(prefixBytes))) };
}

function decodeBody(name: string, body: Uint8Array): Uint8Array {
  if (name === 'identity') return body;
  if (name === 'base2') return decodeBase2(body);
  if (name.startsWith('base16')) return decodeBase16(body);
  if (name.startsWith('base32'))
    return decodeBase32(body, { isHex: name.includes('hex'), isPadded: name.includes('pad') });
  if (name.startsWith('base64'))
    return decodeBase64(body, { isUrl: name.includes('url'), isPadded: name.includes('pad') });
  if (name === 'base256emoji') return decodeEmoji(body);
  return decodeNumber(body, name);
}

function tooLong({ name }: Multibase, bytesMax: number, length: number): InvalidMultibaseError {
  return new InvalidMultibaseError(`${name} takes ${bytesMax} bytes at most here, not ${length}; send less`);
}
