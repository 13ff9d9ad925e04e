/** Thrown inside this package for bytes that are no protobuf; callers add which block it was. */
export class ProtobufError extends Error {}

const maxVarintBytes = 9;

/** Number of bytes that a varint takes. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

/** Writes a varint and returns the offset behind it. */
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

/** The ten or fewer bytes of an int64. */
export function int64Bytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return bytes;
}

/** Reads the fields of a protobuf message in order, refusing what does not fit into its bytes. */
export class ProtobufReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** An unsigned integer up to 2^53 - 1. */
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

  /** A signed integer as int64 encodes it: negative ones take all ten bytes. Refuses more than 2^53 to either side. */
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

  /** An unsigned integer of four bytes, little-endian. */
  fixed32(): number {
    const end = this.#at + 4;
    if (end > this.#bytes.length) throw new ProtobufError('it ends within an integer');
    const [a = 0, b = 0, c = 0, d = 0] = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  /** A view of the next length-delimited field. */
  bytes(): Uint8Array {
    const length = this.varint();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError('it ends within a field');
    const view = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return view;
  }

  /** Field number and wire type of the next field. */
  tag(): { readonly field: number; readonly wireType: number } {
    const tag = this.varint();
    return { field: Math.floor(tag / 8), wireType: tag % 8 };
  }

  /** Passes over a field that the reader does not know. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#at += 8;
    else if (wireType === 2) this.bytes();
    else if (wireType === 5) this.#at += 4;
    else throw new ProtobufError(`wire type ${wireType} is unknown`);
  }
}
