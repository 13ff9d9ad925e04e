import {
  allocateBytes,
  bytesFromHexDigits,
  bytesFromLatin1,
  concatBytes,
  copyBytes,
  latin1FromBytes,
  textFromUtf8,
  utf8Length,
} from '@cairn/platform';
import { base36 } from 'multiformats/bases/base36';
import { base58btc, base58flickr } from 'multiformats/bases/base58';
import { base256emoji } from 'multiformats/bases/base256emoji';
import { InvalidMultibaseError } from './errors.ts';

// Decoders that accept and refuse the same texts as go-multibase 0.3, with the same messages, since clients match them.

/** Decodes base2. A length that is not a multiple of eight is padded with zeros on the left. */
export function decodeBase2(body: Uint8Array): Uint8Array {
  const text = latin1FromBytes(body);
  const digits = text.padStart(Math.ceil(text.length / 8) * 8, '0');
  const bytes = allocateBytes(digits.length / 8);
  for (let at = 0; at < bytes.length; at++) {
    const octet = digits.slice(at * 8, at * 8 + 8);
    if (!/^[01]{8}$/.test(octet)) {
      const quoted = JSON.stringify(textFromUtf8(bytesFromLatin1(octet)));
      throw new InvalidMultibaseError(`error while conversion: strconv.ParseInt: parsing ${quoted}: invalid syntax`);
    }
    bytes[at] = Number.parseInt(octet, 2);
  }
  return bytes;
}

/** Decodes base16 in either case (Go's encoding/hex). */
export function decodeBase16(body: Uint8Array): Uint8Array {
  const text = latin1FromBytes(body);
  const [bad] = /[^\da-f]/i.exec(text) ?? [];
  if (bad !== undefined)
    throw new InvalidMultibaseError(`encoding/hex: invalid byte: ${describeByte(bad.charCodeAt(0))}`);
  if (text.length % 2 !== 0) throw new InvalidMultibaseError('encoding/hex: odd length hex string');
  return bytesFromHexDigits(text);
}

const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const base32HexAlphabet = '0123456789abcdefghijklmnopqrstuv';
/** Number of bytes in a last group of this many characters. Other lengths have none. */
const base32Bytes: Readonly<Record<number, number>> = { 2: 1, 4: 2, 5: 3, 7: 4, 8: 5 };

/** Decodes base32 in either case (go-base32). Line ends are skipped. */
export function decodeBase32(
  body: Uint8Array,
  { isHex, isPadded }: { readonly isHex: boolean; readonly isPadded: boolean },
) {
  const text = latin1FromBytes(body)
    .replace(/[\r\n]/g, '')
    .toLowerCase();
  const alphabet = isHex ? base32HexAlphabet : base32Alphabet;
  const digits = isPadded ? text.slice(0, paddingStart(text, alphabet)) : text;
  const values = new Uint8Array(digits.length);
  for (let at = 0; at < digits.length; at++) {
    const value = alphabet.indexOf(digits[at] ?? '');
    if (value === -1) throw illegal('base32', at);
    values[at] = value;
  }
  const rest = digits.length % 8;
  return packBits(rest === 0 || rest in base32Bytes ? values : values.subarray(0, digits.length - rest), 5);
}

/**
 * Finds the start of the base32 padding. Like go-base32, it checks only the padding that the last group needs, and ignores
 * text after it.
 * @throws MULTIBASE_INVALID
 */
function paddingStart(text: string, alphabet: string): number {
  for (let at = 0; at < text.length; at++) {
    const rest = at % 8;
    const after = text.length - at - 1;
    if (text[at] === '=' && rest >= 2 && after < 8) {
      if (after + rest < 7) throw illegal('base32', text.length);
      for (let next = 1; next < 8 - rest; next++) {
        if (next <= after && text[at + next] !== '=') throw illegal('base32', at + next - 1);
      }
      if (!(rest in base32Bytes)) throw illegal('base32', at);
      return at;
    }
    if (!alphabet.includes(text[at] ?? '')) throw illegal('base32', at);
  }
  const rest = text.length % 8;
  if (rest !== 0) throw illegal('base32', text.length - rest);
  return text.length;
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Decodes base64 (Go's encoding/base64, not strict). Line ends are skipped. */
export function decodeBase64(
  body: Uint8Array,
  { isUrl, isPadded }: { readonly isUrl: boolean; readonly isPadded: boolean },
) {
  const alphabet = base64Digits + (isUrl ? '-_' : '+/');
  const text = latin1FromBytes(body);
  const values: number[] = [];
  /** Position of the first padding character. */
  let paddedAt: number | undefined;
  let padding = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\n' || character === '\r') continue;
    const rest = values.length % 4;
    if (paddedAt !== undefined) {
      // Accepts the second of two padding characters, and refuses any other character after the first.
      if (character !== '=' || rest !== 2 || padding === 2)
        throw illegal('base64', rest === 2 && padding === 1 ? at - 1 : at);
      padding++;
      continue;
    }
    const value = alphabet.indexOf(character);
    if (value !== -1) values.push(value);
    else if (isPadded && character === '=' && rest >= 2) [paddedAt, padding] = [at, 1];
    else throw illegal('base64', at);
  }
  const rest = values.length % 4;
  if (rest === 1 || (isPadded && rest !== 0 && paddedAt === undefined)) throw illegal('base64', text.length - rest);
  if (paddedAt !== undefined && rest + padding !== 4) throw illegal('base64', text.length);
  return packBits(Uint8Array.from(values), 6);
}

/** Decodes base256emoji. */
export function decodeEmoji(body: Uint8Array): Uint8Array {
  const text = textFromUtf8(body);
  let at = 0;
  const bytes: Uint8Array[] = [];
  for (const character of text) {
    try {
      bytes.push(base256emoji.decoder.decode(`🚀${character}`));
    } catch {
      throw new InvalidMultibaseError(`illegal base256emoji data at input byte ${at}, char: '${character}'`);
    }
    at += utf8Length(character);
  }
  return concatBytes(bytes);
}

const base58Digits = /^[1-9A-HJ-NP-Za-km-z]$/;

/** Decodes base36 in either case, base58btc or base58flickr: the digits of one number. */
export function decodeNumber(body: Uint8Array, name: string): Uint8Array {
  const isBase36 = name.startsWith('base36');
  if (body.length === 0)
    throw new InvalidMultibaseError(isBase36 ? 'can not decode zero-length string' : 'zero length string');
  const text = textFromUtf8(body);
  for (const character of text) {
    if (isBase36 ? /^[\da-z]$/i.test(character) : base58Digits.test(character)) continue;
    const quoted = quoteCodePoint(character);
    if (isBase36) throw new InvalidMultibaseError(`invalid base36 character (${quoted})`);
    const isAscii = character.charCodeAt(0) < 0x80;
    throw new InvalidMultibaseError(isAscii ? `invalid base58 digit (${quoted})` : 'high-bit set on invalid digit');
  }
  if (isBase36) return copyBytes(base36.decoder.decode(`k${text.toLowerCase()}`));
  const decoded = name === 'base58btc' ? base58btc.decoder.decode(`z${text}`) : base58flickr.decoder.decode(`Z${text}`);
  return copyBytes(decoded);
}

/** Packs values of `bits` bits each into bytes. Remaining bits are dropped. */
function packBits(values: Uint8Array, bits: number): Uint8Array {
  const bytes = allocateBytes(Math.floor((values.length * bits) / 8));
  let [buffer, held, at] = [0, 0, 0];
  for (const value of values) {
    buffer = ((buffer << bits) | value) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = (buffer >> held) & 0xff;
  }
  return bytes;
}

function illegal(name: string, at: number): InvalidMultibaseError {
  return new InvalidMultibaseError(`illegal ${name} data at input byte ${at}`);
}

/** Formats a byte as Go's %#U does. */
function describeByte(byte: number): string {
  const code = `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`;
  return isPrintable(byte) ? `${code} '${String.fromCharCode(byte)}'` : code;
}

/** Formats a character as Go's %q does. */
function quoteCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };
  const short = named[character];
  if (short !== undefined) return `'${short}'`;
  return code < 0x80 && !isPrintable(code) ? `'\\x${code.toString(16).padStart(2, '0')}'` : `'${character}'`;
}

function isPrintable(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code !== 0xad);
}
