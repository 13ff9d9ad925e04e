import { createHash } from 'node:crypto';

// Encoders of the blocks and CARs that the fuzzer sends, independent of the encoders under test.

const codes = { raw: 0x55, 'dag-pb': 0x70, 'dag-cbor': 0x71, 'dag-json': 0x0129 };
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A CID: its bytes and its text. */
export class Cid {
  constructor(bytes) {
    this.bytes = bytes;
    this.text = bytes[0] === 0x12 ? encodeBase58(bytes) : `b${encodeBase32(bytes)}`;
  }
}

/** A block with its CID. `version` 0 is for dag-pb only; `identity` puts the bytes into the CID. */
export function block(codec, bytes, { version = 1, identity = false } = {}) {
  const digest = identity
    ? Buffer.concat([varint(0), varint(bytes.length), bytes])
    : Buffer.concat([Buffer.from([0x12, 0x20]), createHash('sha256').update(bytes).digest()]);
  const cid = new Cid(version === 0 ? digest : Buffer.concat([varint(1), varint(codes[codec]), digest]));
  return { cid, bytes, codec };
}

/** The CID of version 1 of the same block. */
export const toVersion1 = ({ bytes }) =>
  new Cid(bytes[0] === 0x12 ? Buffer.concat([varint(1), varint(0x70), bytes]) : bytes);

export function varint(value) {
  const out = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...out, left]);
    out.push((left % 128) | 0x80);
  }
}

/** Deterministic dag-cbor. A fractional number is a 64-bit float. */
export function encodeCbor(value) {
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === 'number' && !Number.isInteger(value)) {
    const out = Buffer.from([0xfb, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.writeDoubleBE(value, 1);
    return out;
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Cid)
    return Buffer.concat([Buffer.from([0xd8, 42]), encodeCbor(Buffer.concat([Buffer.of(0), value.bytes]))]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)]);
  const keys = Object.keys(value).map((key) => Buffer.from(key));
  keys.sort((one, other) => one.length - other.length || Buffer.compare(one, other));
  return Buffer.concat([
    head(5, keys.length),
    ...keys.flatMap((key) => [encodeCbor(key.toString()), encodeCbor(value[key])]),
  ]);
}

function head(major, length) {
  if (length < 24) return Buffer.of((major << 5) | length);
  if (length < 256) return Buffer.of((major << 5) | 24, length);
  return Buffer.of((major << 5) | 25, length >> 8, length & 255);
}

/** dag-json of the values that {@link encodeCbor} accepts. */
export function encodeJson(value) {
  if (value instanceof Cid) return `{"/":"${value.text}"}`;
  if (value instanceof Uint8Array)
    return `{"/":{"bytes":"${Buffer.from(value).toString('base64').replace(/=+$/, '')}"}}`;
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${encodeJson(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** dag-pb of links `{ cid, name, size }` and data. */
export function encodePb(links, data) {
  const encoded = links.map(({ cid, name, size }) =>
    field(2, Buffer.concat([field(1, cid.bytes), field(2, Buffer.from(name)), Buffer.of(0x18), varint(size)])),
  );
  return Buffer.concat([...encoded, ...(data === undefined ? [] : [field(1, data)])]);
}

/** UnixFS data: 1 is a directory, 2 a file, 4 a symlink. */
export const unixfs = (type, data) =>
  Buffer.concat([
    Buffer.of(8, type),
    ...(data === undefined ? [] : [field(2, data), Buffer.of(0x18), varint(data.length)]),
  ]);

const field = (number, bytes) => Buffer.concat([Buffer.of((number << 3) | 2), varint(bytes.length), bytes]);

/** A CAR of version 1. */
export function carOf(roots, blocks) {
  const header = encodeCbor({ roots, version: 1 });
  const sections = blocks.flatMap(({ cid, bytes }) => [varint(cid.bytes.length + bytes.length), cid.bytes, bytes]);
  return Buffer.concat([varint(header.length), header, ...sections]);
}

/** A CAR of version 2 that contains one of version 1, without an index. */
export function carOfVersion2(inner, { padding = 0 } = {}) {
  const fixed = Buffer.alloc(40);
  fixed.writeBigUInt64LE(BigInt(51 + padding), 16);
  fixed.writeBigUInt64LE(BigInt(inner.length), 24);
  return Buffer.concat([Buffer.from('0aa16776657273696f6e02', 'hex'), fixed, Buffer.alloc(padding), inner]);
}

function encodeBase32(bytes) {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32[(value >>> (bits - 5)) & 31];
    value &= 0xff;
  }
  return bits > 0 ? text + base32[(value << (5 - bits)) & 31] : text;
}

function encodeBase58(bytes) {
  let text = '';
  for (let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`); value > 0n; value /= 58n)
    text = base58[Number(value % 58n)] + text;
  return text;
}
