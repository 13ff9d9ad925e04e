// Node's Buffer does this natively. bytes-portable.ts is the same in plain JavaScript, and bytes.spec.ts compares the two.

const bufferOver = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The parts, one behind the other, as a copy. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** A copy in memory that is not the same. `slice` of a `Buffer` is none. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes);
}

/** Negative, zero or positive: the order of two byte strings, where a prefix comes before what is longer. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Memory of its own for bytes that the caller writes completely: its content is undefined until then. */
export function allocateBytes(length: number): Uint8Array {
  return Buffer.allocUnsafeSlow(length);
}

/** Two lower-case hexadecimal digits for each byte. */
export function hexDigitsFromBytes(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('hex');
}

/** Bytes from pairs of hexadecimal digits in either case; ends before the first pair that is none. */
export function bytesFromHexDigits(digits: string): Uint8Array {
  return Buffer.from(digits, 'hex');
}

/** Text from UTF-8; a replacement character stands for what is not valid. */
export function textFromUtf8(bytes: Uint8Array): string {
  return bufferOver(bytes).toString();
}

/** UTF-8 of a text; a replacement character stands for a surrogate without its other half. */
export function utf8FromText(text: string): Uint8Array {
  return Buffer.from(text);
}

/** Length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** One character for each byte, code points 0 to 255. A short key for a map, too. */
export function latin1FromBytes(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('latin1');
}

/** One byte for each character: the lower eight bits of its code unit. */
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
