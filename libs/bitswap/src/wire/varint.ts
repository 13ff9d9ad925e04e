import { messageInvalid } from '../errors.ts';

/** Reads protobuf fields from bytes without copying. */
export class ProtobufReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Reads an unsigned varint. Bits beyond 2^53 are dropped: no field of bitswap uses them, but negative int32 do. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let length = 0; length < 10; length++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw messageInvalid('a number is incomplete');
      if (length < 7) value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return value;
    }
    throw messageInvalid('a number is longer than 10 bytes');
  }

  /** Returns a view of a length-delimited field. */
  view(): Uint8Array {
    const length = this.varint();
    if (length > this.#bytes.length - this.#at) throw messageInvalid('a field is longer than the message');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Skips a field of any wire type. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#advance(8);
    else if (wireType === 2) this.view();
    else if (wireType === 5) this.#advance(4);
    else throw messageInvalid(`wire type ${wireType} is not supported`);
  }

  #advance(length: number): void {
    if (length > this.#bytes.length - this.#at) throw messageInvalid('a field is longer than the message');
    this.#at += length;
  }
}

/** Number of bytes of a varint. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes an unsigned varint below 2^53 and returns the next position. */
export function writeVarint(target: Uint8Array, value: number, offset: number): number {
  let at = offset;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 0x80;
  target[at++] = rest;
  return at;
}
