/** Thrown within this package for bytes that are not protobuf. Callers add the CID of the block. */
export class ProtobufError extends Error {}

const maxVarintBytes = 9;

/** Returns the length of a varint in bytes. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes a varint and returns the offset after it. */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  while (rest >= 128) {
    target[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  target[at++] = rest;
  return at;
}

/** Encodes an int64 in at most ten bytes. */
export function int64Bytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return bytes;
}

/** Reads the fields of a protobuf message in order. Refuses a field that exceeds the message. */
export class ProtobufReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Reads an unsigned integer up to 2^53 - 1. */
  varint(): number {
    let value = 0;
    let factor = 1;
    for (let read = 0; read < maxVarintBytes; read++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new ProtobufError('it ends within an integer');
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      factor *= 128;
    }
    throw new ProtobufError('an integer is larger than 2^53');
  }

  /** Reads a signed int64; negative numbers take ten bytes. Refuses absolute values above 2^53. */
  int64(): number {
    let value = 0n;
    for (let read = 0n; read < 10n; read++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new ProtobufError('it ends within an integer');
      value |= BigInt(byte & 127) << (read * 7n);
      if (byte >= 128) continue;
      const signed = Number(BigInt.asIntN(64, value));
      if (!Number.isSafeInteger(signed)) break;
      return signed;
    }
    throw new ProtobufError('an integer is larger than 2^53');
  }

  /** Reads an unsigned integer of four bytes, little-endian. */
  fixed32(): number {
    const end = this.#at + 4;
    if (end > this.#bytes.length) throw new ProtobufError('it ends within an integer');
    const [a = 0, b = 0, c = 0, d = 0] = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  /** Returns a view of the next length-delimited field. */
  bytes(): Uint8Array {
    const length = this.varint();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError('it ends within a field');
    const view = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return view;
  }

  /** Reads field number and wire type of the next field. */
  tag(): { readonly field: number; readonly wireType: number } {
    const tag = this.varint();
    return { field: Math.floor(tag / 8), wireType: tag % 8 };
  }

  /** Skips an unknown field. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#at += 8;
    else if (wireType === 2) this.bytes();
    else if (wireType === 5) this.#at += 4;
    else throw new ProtobufError(`wire type ${wireType} is unknown`);
  }
}
