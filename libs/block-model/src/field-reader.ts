// Hot path: every imported or served block is read here, in one pass with views instead of copies. block.bench.ts measures it.
import { hexDigitsFromBytes } from '@cairn/platform';
import { DecodeError, type RlpSpan, rlpSpanAt, viewOfBytes, wholeRlpSpan } from '@cairn/rlp';

/** Reads the fields of an RLP list in order, each by its type, without building a tree. */
export class FieldReader {
  readonly #what: string;
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  #at: number;

  private constructor(what: string, bytes: Uint8Array, start: number, end: number) {
    this.#what = what;
    this.#bytes = bytes;
    this.#start = start;
    this.#at = start;
    this.#end = end;
  }

  /** Creates a reader of the list that fills `bytes` exactly. @throws DECODE_FAILED */
  static over(what: string, bytes: Uint8Array): FieldReader {
    const { isList, start, end } = wholeRlpSpan(what, bytes);
    if (!isList) throw new DecodeError(what, 'expected a list');
    return new FieldReader(what, bytes, start, end);
  }

  /** Length of the payload of the list in bytes. */
  get payloadLength(): number {
    return this.#end - this.#start;
  }

  /** True when every field has been read. */
  get isDone(): boolean {
    return this.#at >= this.#end;
  }

  /** True when the next field is a list rather than bytes. */
  get isAtList(): boolean {
    return !this.isDone && (this.#bytes[this.#at] ?? 0) >= 0xc0;
  }

  bytes(field: string, ...lengths: readonly number[]): Uint8Array {
    const { isList, start, end } = this.#next(field);
    if (isList) throw this.#fault(field, 'expected bytes, found a list');
    if (lengths.length > 0 && !lengths.includes(end - start)) {
      throw this.#fault(field, `expected ${lengths.join(' or ')} bytes, found ${end - start}`);
    }
    return viewOfBytes(this.#bytes, start, end);
  }

  integer(field: string): bigint {
    const bytes = this.bytes(field);
    if (bytes[0] === 0) throw this.#fault(field, 'an integer has leading zeros');
    if (bytes.length > 32) throw this.#fault(field, 'an integer is longer than 256 bits');
    if (bytes.length > 6) return BigInt(`0x${hexDigitsFromBytes(bytes)}`);
    let value = 0;
    for (const byte of bytes) value = value * 256 + byte;
    return BigInt(value);
  }

  /** Reads an empty field as false and one byte of value 1 as true. */
  boolean(field: string): boolean {
    const bytes = this.bytes(field, 0, 1);
    if (bytes.length === 1 && bytes[0] !== 1) throw this.#fault(field, `expected no bytes or 1, found ${bytes[0]}`);
    return bytes.length === 1;
  }

  /** Reads the next field, a list, and returns the result of `read` for each item; `what` names an item in errors. */
  list<T>(field: string, what: string, read: (items: FieldReader) => T): T[] {
    const { isList, start, end } = this.#next(field);
    if (!isList) throw this.#fault(field, 'expected a list, found bytes');
    const items = new FieldReader(what, this.#bytes, start, end);
    const result: T[] = [];
    while (!items.isDone) result.push(read(items));
    return result;
  }

  /** Reads the next item, a list, and returns the result of `read`. @throws DECODE_FAILED when `read` leaves fields over */
  record<T>(field: string, what: string, read: (fields: FieldReader) => T): T {
    const { isList, start, end } = this.#next(field);
    if (!isList) throw this.#fault(field, 'expected a list, found bytes');
    const fields = new FieldReader(what, this.#bytes, start, end);
    const result = read(fields);
    fields.end();
    return result;
  }

  /** Returns the encoding of the next item as a view. */
  raw(field: string): Uint8Array {
    const start = this.#at;
    return viewOfBytes(this.#bytes, start, this.#next(field).end);
  }

  /** @throws DECODE_FAILED when fields are left over */
  end(): void {
    let left = 0;
    for (; !this.isDone; left++) this.#next('one too many');
    if (left > 0) throw new DecodeError(this.#what, `it has ${left} ${left === 1 ? 'field' : 'fields'} too many`);
  }

  #next(field: string): RlpSpan {
    if (this.isDone) throw this.#fault(field, 'it is missing');
    const span = rlpSpanAt(this.#what, this.#bytes, this.#at, this.#end);
    this.#at = span.end;
    return span;
  }

  #fault(field: string, reason: string): DecodeError {
    return new DecodeError(`${this.#what}, field ${field}`, reason);
  }
}
