// Conversions on Node's Buffer. bytes-portable.ts has the same functions in plain JavaScript; bytes.spec.ts compares both.

const bufferOver = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Concatenates the parts into new memory. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** Copies bytes into new memory. `Buffer.slice` returns a view instead. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes);
}

/** Compares two byte strings: negative, zero or positive. A prefix comes before the longer string. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Allocates memory that is not pooled. Its content is undefined: the caller must write every byte. */
export function allocateBytes(length: number): Uint8Array {
  return Buffer.allocUnsafeSlow(length);
}

/** Two lower-case hexadecimal digits for each byte. */
export function hexDigitsFromBytes(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('hex');
}

/** Bytes from pairs of hexadecimal digits in either case. Stops before the first invalid pair. */
export function bytesFromHexDigits(digits: string): Uint8Array {
  return Buffer.from(digits, 'hex');
}

/** Text from UTF-8. Invalid bytes become replacement characters. */
export function textFromUtf8(bytes: Uint8Array): string {
  return bufferOver(bytes).toString();
}

/** UTF-8 of a text. A lone surrogate becomes a replacement character. */
export function utf8FromText(text: string): Uint8Array {
  return Buffer.from(text);
}

/** Length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** One character for each byte, code points 0 to 255. Also serves as a short key of a map. */
export function latin1FromBytes(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('latin1');
}

/** One byte for each character: the low eight bits of its code unit. */
export function bytesFromLatin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** Base64 with padding (RFC 4648, section 4). */
export function base64FromBytes(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('base64');
}

/** Base64 for URLs without padding (RFC 4648, section 5). */
export function base64UrlFromBytes(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('base64url');
}

/** Bytes from base64 of either alphabet, with or without padding. The caller checks the characters. */
export function bytesFromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

export { isUtf8 } from 'node:buffer';
