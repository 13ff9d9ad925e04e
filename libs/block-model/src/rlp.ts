// Every block that is imported or served passes through here: one pass over the bytes, views instead of copies.
// block.bench.ts measures it; @ethereumjs/rlp is the oracle of its spec.
import { DecodeError } from './errors.ts';
import { type Span, spanAt, view, wholeSpan } from './rlp-span.ts';

/** A decoded RLP value (Yellow Paper, appendix B). */
export type RlpItem = Uint8Array | RlpItem[];

export const rlpLimits = {
  /** Lists in lists. A block needs seven; each level costs stack. */
  depthMax: 32,
  /** Values of one tree. A block of 300 million gas has fewer, and as a tree each costs 100 bytes and more. */
  itemsMax: 524_288,
} as const;

/**
 * Decodes one strict RLP value that takes all of `bytes`. Its parts are views into `bytes`.
 * @throws DECODE_FAILED, also beyond {@link rlpLimits}
 */
export function decodeRlp(what: string, bytes: Uint8Array): RlpItem {
  let items = 0;
  const read = ({ isList, start, end }: Span, depth: number): RlpItem => {
    if (++items > rlpLimits.itemsMax) throw new DecodeError(what, `it has more than ${rlpLimits.itemsMax} values`);
    if (!isList) return view(bytes, start, end);
    if (depth === rlpLimits.depthMax) throw new DecodeError(what, `its lists are nested over ${depth} levels deep`);
    const list: RlpItem[] = [];
    for (let at = start; at < end; ) {
      const span = spanAt(what, bytes, at, end);
      list.push(read(span, depth + 1));
      at = span.end;
    }
    return list;
  };
  return read(wholeSpan(what, bytes), 0);
}

/** The RLP of a value. */
export function encodeRlp(item: RlpItem): Uint8Array {
  // Payload lengths of the lists, in the order in which they are met: measured once, used when writing.
  const lengths: number[] = [];
  const measure = (value: RlpItem): number => {
    if (value instanceof Uint8Array) return isOwnEncoding(value) ? 1 : prefixLength(value.length) + value.length;
    const slot = lengths.push(0) - 1;
    let length = 0;
    for (const part of value) length += measure(part);
    lengths[slot] = length;
    return prefixLength(length) + length;
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

/** The RLP of a list from the RLP of its items. */
export function encodeRlpList(encodedItems: readonly Uint8Array[]): Uint8Array {
  const length = encodedItems.reduce((sum, item) => sum + item.length, 0);
  const output = new Uint8Array(prefixLength(length) + length);
  let at = writePrefix(output, 0, 0xc0, length);
  for (const item of encodedItems) {
    output.set(item, at);
    at += item.length;
  }
  return output;
}

/** Length of the prefix of a list, or of a string of several bytes, that holds `length` bytes. */
export function prefixLength(length: number): number {
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
  const size = prefixLength(length) - 1;
  output[at] = base + 55 + size;
  for (let index = size, rest = length; index > 0; index--, rest = Math.floor(rest / 256)) output[at + index] = rest;
  return at + 1 + size;
}
