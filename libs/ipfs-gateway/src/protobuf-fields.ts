/** Field of a protobuf message: a number of a varint, or bytes. */
export interface ProtobufField {
  readonly field: number;
  readonly number?: bigint;
  readonly bytes?: Uint8Array;
}

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
