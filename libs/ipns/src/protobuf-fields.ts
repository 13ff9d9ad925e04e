/** Field of a protobuf message: a number of a varint, or bytes. */
export interface ProtobufField {
  readonly field: number;
  readonly number?: bigint;
  readonly bytes?: Uint8Array;
}

/** Message of Go's protobuf library, with its no-break space. */
export const unparsable = 'proto:\u00a0cannot parse invalid wire-format data';

/** Yields the fields of a protobuf message. @throws RangeError */
export function* protobufFields(message: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number is truncated or too long');
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field = Math.floor(tag / 8);
    if (tag % 8 === 0) yield { field, number: varint() };
    else if (tag % 8 === 2) {
      const length = Number(varint());
      if (length > message.length - at) throw new RangeError(`field ${field} is truncated`);
      yield { field, bytes: message.subarray(at, at + length) };
      at += length;
    } else throw new RangeError(`field ${field} has wire type ${tag % 8}`);
  }
}

/** Encodes fields in the given order: integers as varints, bytes with their length. */
export function encodeProtobuf(fields: readonly (readonly [field: number, value: bigint | Uint8Array])[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const [field, value] of fields) {
    if (typeof value === 'bigint') parts.push(varintOf(BigInt(field * 8)), varintOf(value));
    else parts.push(varintOf(BigInt(field * 8 + 2)), varintOf(BigInt(value.length)), value);
  }
  return Buffer.concat(parts);
}

function varintOf(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}
