// Hot path: each block that is imported or served is decoded here in one pass, with views instead of copies.
// rlp.bench.ts measures it; @ethereumjs/rlp is the oracle of rlp.spec.ts.
import { DecodeError, InvalidItemError } from './errors.ts';
import { type RlpSpan, rlpSpanAt, viewOfBytes, wholeRlpSpan } from './span.ts';

/** A decoded RLP value (Yellow Paper, appendix B). */
export type RlpItem = Uint8Array | RlpItem[];

export const rlpLimits = {
  /** Nesting of lists. A block needs seven levels; each level uses stack. */
  depthMax: 32,
  /** Values of one tree. A block of 300 million gas has fewer. Each takes at least 100 bytes of memory. */
  itemsMax: 524_288,
} as const;

/**
 * Decodes the one RLP value that fills all of `bytes`. Accepts the shortest encoding only. Parts are views into `bytes`.
 * @param what name of the decoded value; it begins the error message
 * @throws DECODE_FAILED, also beyond {@link rlpLimits}; BYTES_INVALID
 */
export function decodeRlp(what: string, bytes: Uint8Array): RlpItem {
  if (!isBytes(bytes)) throw new InvalidItemError(what, 'a Uint8Array', bytes);
  let items = 0;
  const read = ({ isList, start, end }: RlpSpan, depth: number): RlpItem => {
    if (++items > rlpLimits.itemsMax) throw new DecodeError(what, `it has more than ${rlpLimits.itemsMax} values`);
    if (!isList) return viewOfBytes(bytes, start, end);
    if (depth === rlpLimits.depthMax) throw new DecodeError(what, `its lists are nested over ${depth} levels deep`);
    const list: RlpItem[] = [];
    for (let at = start; at < end; ) {
      const span = rlpSpanAt(what, bytes, at, end);
      list.push(read(span, depth + 1));
      at = span.end;
    }
    return list;
  };
  return read(wholeRlpSpan(what, bytes), 0);
}

/** Encodes a value. @throws BYTES_INVALID for a value that is neither bytes nor a list */
export function encodeRlp(item: RlpItem): Uint8Array {
  // Payload lengths of the lists in depth-first order: measured in a first pass, used by the second.
  const lengths: number[] = [];
  const measure = (value: RlpItem): number => {
    if (value instanceof Uint8Array) return isOwnEncoding(value) ? 1 : rlpPrefixLength(value.length) + value.length;
    if (!Array.isArray(value)) throw new InvalidItemError('item', 'a Uint8Array or a list of them', value);
    const position = lengths.push(0) - 1;
    let length = 0;
    for (const part of value) length += measure(part);
    lengths[position] = length;
    return rlpPrefixLength(length) + length;
  };
  const output = new Uint8Array(measure(item));
  let at = 0;
  let list = 0;
  const write = (value: RlpItem): void => {
    if (!(value instanceof Uint8Array)) {
      at = writePrefix(output, at, 0xc0, lengths[list++] ?? 0);
      for (const part of value) write(part);
      return;
    }
    if (!isOwnEncoding(value)) at = writePrefix(output, at, 0x80, value.length);
    output.set(value, at);
    at += value.length;
  };
  write(item);
  return output;
}

/** Reports whether a value is a `Uint8Array`, including one of another realm. */
function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/** Encodes a list whose items are encoded already. */
export function encodeRlpList(encodedItems: readonly Uint8Array[]): Uint8Array {
  const length = encodedItems.reduce((sum, item) => sum + item.length, 0);
  const output = new Uint8Array(rlpPrefixLength(length) + length);
  let at = writePrefix(output, 0, 0xc0, length);
  for (const item of encodedItems) {
    output.set(item, at);
    at += item.length;
  }
  return output;
}

/** Bytes of the prefix of a list, or of a string of more than one byte, whose payload has `length` bytes. */
export function rlpPrefixLength(length: number): number {
  if (length < 56) return 1;
  let bytes = 2;
  for (let rest = length; rest > 255; rest = Math.floor(rest / 256)) bytes++;
  return bytes;
}

function isOwnEncoding(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] ?? 0) < 0x80;
}

function writePrefix(output: Uint8Array, at: number, base: 0x80 | 0xc0, length: number): number {
  if (length < 56) {
    output[at] = base + length;
    return at + 1;
  }
  const size = rlpPrefixLength(length) - 1;
  output[at] = base + 55 + size;
  for (let index = size, rest = length; index > 0; index--, rest = Math.floor(rest / 256)) output[at + index] = rest;
  return at + 1 + size;
}
