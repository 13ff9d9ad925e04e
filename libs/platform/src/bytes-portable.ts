// Conversions for browsers and other runtimes without Node's Buffer. bytes-node.ts documents each function; bytes.spec.ts compares both.

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function copyBytes(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] as number) - (b[at] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

export function allocateBytes(length: number): Uint8Array {
  return new Uint8Array(length);
}

const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function hexDigitsFromBytes(bytes: Uint8Array): string {
  let digits = '';
  for (let at = 0; at < bytes.length; at++) digits += hexPairs[bytes[at] as number];
  return digits;
}

export function bytesFromHexDigits(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length >> 1);
  for (let at = 0; at < bytes.length; at++) {
    const high = hexDigit(digits.charCodeAt(2 * at));
    const low = hexDigit(digits.charCodeAt(2 * at + 1));
    if (high < 0 || low < 0) return bytes.slice(0, at);
    bytes[at] = (high << 4) | low;
  }
  return bytes;
}

/** Value of the digit with this character code; -1 for any other character. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const encoder = new TextEncoder();
// The byte order mark stays in the text, as in Node's Buffer.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function textFromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function utf8FromText(text: string): Uint8Array {
  return encoder.encode(text);
}

export function utf8Length(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) as number;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    if (code >= 0x1_0000) at++;
  }
  return length;
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Maximum number of arguments of one call. Engines accept tens of thousands. */
const charactersPerCall = 8192;

export function latin1FromBytes(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += charactersPerCall)
    text += String.fromCharCode(...bytes.subarray(at, at + charactersPerCall));
  return text;
}

export function bytesFromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function base64FromBytes(bytes: Uint8Array): string {
  return btoa(latin1FromBytes(bytes));
}

export function base64UrlFromBytes(bytes: Uint8Array): string {
  return base64FromBytes(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export function bytesFromBase64(text: string): Uint8Array {
  const digits = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  // A single remaining digit does not encode a whole byte.
  return bytesFromLatin1(atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits));
}
