import { DecodeError } from './errors.ts';

/** Position of an item's payload within the encoded bytes. */
export interface RlpSpan {
  readonly isList: boolean;
  /** Offset of the payload, after the prefix. */
  readonly start: number;
  /** Offset of the first byte after the payload. */
  readonly end: number;
}

/**
 * Reads the prefix of the item at `at`. Accepts the shortest encoding only.
 * @param what name of the decoded value; it begins the error message
 * @param limit end of the list that contains the item
 * @throws DECODE_FAILED
 */
export function rlpSpanAt(what: string, bytes: Uint8Array, at: number, limit: number): RlpSpan {
  const first = bytes[at];
  if (first === undefined || at >= limit) throw notRlp(what, at, 'the bytes end where a value should begin');
  if (first < 0x80) return { isList: false, start: at, end: at + 1 };
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  let length = short;
  if (short > 55) {
    start += short - 55;
    if (start > limit) throw notRlp(what, at, 'the bytes end within a length');
    length = 0;
    for (let index = at + 1; index < start; index++) length = length * 256 + (bytes[index] ?? 0);
    if (bytes[at + 1] === 0 || length < 56) throw notRlp(what, at, 'a length is not in its shortest form');
  }
  if (length > limit - start) throw notRlp(what, at, `a value of ${length} bytes is longer than what holds it`);
  if (!isList && length === 1 && (bytes[start] ?? 0) < 0x80) {
    throw notRlp(what, at, 'a single byte is not in its shortest form');
  }
  return { isList, start, end: start + length };
}

function notRlp(what: string, at: number, reason: string): DecodeError {
  return new DecodeError(what, `it is not valid RLP, at byte ${at}: ${reason}`);
}

/** Part of `bytes` without a copy. The result is a plain `Uint8Array`, also for a `Buffer`. */
export function viewOfBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** Span of the single item that fills all of `bytes`. @throws DECODE_FAILED */
export function wholeRlpSpan(what: string, bytes: Uint8Array): RlpSpan {
  const span = rlpSpanAt(what, bytes, 0, bytes.length);
  if (span.end < bytes.length) throw notRlp(what, span.end, 'bytes follow the value');
  return span;
}
