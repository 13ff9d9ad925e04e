import { CID } from '@cairn/cid';
import { compareBytes, concatBytes, utf8FromText } from '@cairn/platform';
import { IpldFloat, type IpldValue } from './ipld-value.ts';

/** Encodes DAG-CBOR: keys sorted by length and then by bytes, floats of 64 bits, links as tag 42. @throws Error */
export function writeDagCbor(value: IpldValue): Uint8Array {
  const out: Uint8Array[] = [];
  write(value, out, true);
  return concatBytes(out);
}

/** Encodes CBOR with keys in their order. @throws Error for links */
export function writePlainCbor(value: IpldValue): Uint8Array {
  const out: Uint8Array[] = [];
  write(value, out, false);
  return concatBytes(out);
}

function write(value: IpldValue, out: Uint8Array[], isDag: boolean): void {
  if (value === null) out.push(oneByte(0xf6));
  else if (typeof value === 'boolean') out.push(oneByte(value ? 0xf5 : 0xf4));
  else if (typeof value === 'bigint') out.push(value < 0n ? head(1, -1n - value) : head(0, value));
  else if (typeof value === 'string') writeText(value, out);
  else if (value instanceof IpldFloat) writeFloat(value.value, out);
  else if (value instanceof Uint8Array) out.push(head(2, BigInt(value.length)), value);
  else if (Array.isArray(value)) {
    out.push(head(4, BigInt(value.length)));
    for (const each of value) write(each, out, isDag);
  } else if (value instanceof Map) writeMap(value, out, isDag);
  else if (value instanceof CID) {
    if (!isDag) throw new Error('cannot Marshal ipld links to CBOR');
    out.push(head(6, 42n), head(2, BigInt(value.bytes.length + 1)), oneByte(0), value.bytes);
  }
}

function writeMap(map: ReadonlyMap<string, IpldValue>, out: Uint8Array[], isDag: boolean): void {
  const entries = [...map].map(([key, value]) => ({ key, bytes: utf8FromText(key), value }));
  if (isDag) entries.sort((a, b) => a.bytes.length - b.bytes.length || compareBytes(a.bytes, b.bytes));
  out.push(head(5, BigInt(entries.length)));
  for (const { key, value } of entries) {
    writeText(key, out);
    write(value, out, isDag);
  }
}

function writeText(text: string, out: Uint8Array[]): void {
  const bytes = utf8FromText(text);
  out.push(head(3, BigInt(bytes.length)), bytes);
}

function writeFloat(value: number, out: Uint8Array[]): void {
  const bytes = new Uint8Array(9);
  bytes[0] = 0xfb;
  new DataView(bytes.buffer).setFloat64(1, value);
  out.push(bytes);
}

/** One-byte values, created once, since a block can have millions of them. */
const byteValues = Uint8Array.from({ length: 256 }, (_, value) => value);
const single = Array.from(byteValues, (value) => byteValues.subarray(value, value + 1));

function oneByte(value: number): Uint8Array {
  return single[value] ?? Uint8Array.of(value);
}

/** Encodes a major type with its argument in the shortest form. */
function head(major: number, argument: bigint): Uint8Array {
  const first = major << 5;
  if (argument < 24n) return oneByte(first + Number(argument));
  const size = [1, 2, 4, 8].find((bytes) => argument < 1n << BigInt(8 * bytes)) ?? 8;
  const bytes = new Uint8Array(1 + size);
  bytes[0] = first + 24 + Math.log2(size);
  for (let at = size, rest = argument; at > 0; at--, rest >>= 8n) bytes[at] = Number(rest & 0xffn);
  return bytes;
}
