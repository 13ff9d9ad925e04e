import { decodeMultibase, type Multibase, multibaseOf } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';

/** Parts of a CID, also of one whose content may not be stored. */
export interface CidParts {
  readonly version: 0 | 1;
  readonly codec: number;
  readonly hash: number;
  readonly digest: Buffer;
  /** Bytes of the multihash. */
  readonly multihash: Buffer;
}

/** A text that is not a CID. The message is that of go-cid, which clients show. */
export class CidTextError extends Error {}

const sha256 = 0x12;
export const dagPb = 0x70;
export const libp2pKey = 0x72;

/** Decodes a CID as go-cid does: any codec, hash function and digest length. @throws CidTextError */
export function decodeCid(text: string): CidParts {
  const bytes = Buffer.from(text);
  if (bytes.length < 2) throw new CidTextError('invalid cid: cid too short');
  if (bytes.length === 46 && text.startsWith('Qm')) return decodeVersion0(text);
  const data = decodeText(bytes, (reason) => `invalid cid: ${reason}`);
  const { parts, length } = readCid(data);
  if (length !== data.length) throw new CidTextError('invalid cid: trailing bytes in data buffer passed to cid Cast');
  return parts;
}

/** Parses a peer ID in base58btc or as a CID of codec libp2p-key; `undefined` for any other text. */
export function decodePeerId(text: string): CidParts | undefined {
  try {
    if (!text.startsWith('Qm') && !text.startsWith('1')) {
      const parts = decodeCid(text);
      return parts.codec === libp2pKey ? parts : undefined;
    }
    const bytes = decodeText(Buffer.from(`z${text}`), (reason) => reason);
    const { hash, digest, length } = readMultihash(bytes, '');
    return length === bytes.length ? { version: 1, codec: libp2pKey, hash, digest, multihash: bytes } : undefined;
  } catch (error) {
    if (error instanceof CidTextError) return undefined;
    throw error;
  }
}

/** Returns the multibase of the text of a CID. */
export function multibaseOfCid(text: string): Multibase | undefined {
  return text.length === 46 && text.startsWith('Qm') ? multibaseOf('z') : multibaseOf(text);
}

/** Bytes of a CID. */
export function encodeCid({ version, codec, multihash }: CidParts): Buffer {
  return version === 0 ? multihash : Buffer.concat([Buffer.from([1]), encodeVarint(codec), multihash]);
}

/** Reports whether version 0 can express a CID. */
export function isVersion0Possible({ codec, hash, digest }: CidParts): boolean {
  return codec === dagPb && hash === sha256 && digest.length === 32;
}

function decodeText(text: Uint8Array, messageOf: (reason: string) => string): Buffer {
  try {
    const { bytes } = decodeMultibase(text);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch (error) {
    if (!isCairnError(error, 'MULTIBASE_INVALID')) throw error;
    throw new CidTextError(messageOf(error.message));
  }
}

function decodeVersion0(text: string): CidParts {
  const bytes = decodeText(Buffer.from(`z${text}`), () => "invalid cid: input isn't valid multihash");
  const { hash, digest, length } = readMultihash(bytes, 'invalid cid: ');
  if (length !== bytes.length) {
    throw new CidTextError(`invalid cid: multihash length inconsistent: expected ${digest.length}; got ${length}`);
  }
  if (hash !== sha256 || digest.length !== 32)
    throw new CidTextError(`invalid cid: invalid hash for cidv0 ${hash}-${digest.length}`);
  return { version: 0, codec: dagPb, hash, digest, multihash: bytes };
}

function readCid(data: Buffer): { readonly parts: CidParts; readonly length: number } {
  const reason = 'invalid cid: invalid cid: ';
  if (data.length > 2 && data[0] === sha256 && data[1] === 32) {
    if (data.length < 34) throw new CidTextError(`${reason}not enough bytes for cid v0`);
    const multihash = data.subarray(0, 34);
    return {
      parts: { version: 0, codec: dagPb, hash: sha256, digest: multihash.subarray(2), multihash },
      length: 34,
    };
  }
  const version = readVarint(data, reason);
  if (version.value !== 1)
    throw new CidTextError(`${reason}expected 1 as the cid version number, got: ${version.value}`);
  const codec = readVarint(data.subarray(version.length), reason);
  const rest = data.subarray(version.length + codec.length);
  const { hash, digest, length } = readMultihash(rest, reason);
  const multihash = rest.subarray(0, length);
  return {
    parts: { version: 1, codec: codec.value, hash, digest, multihash },
    length: version.length + codec.length + length,
  };
}

function readMultihash(data: Buffer, reason: string) {
  if (data.length < 2) throw new CidTextError(`${reason}multihash too short. must be >= 2 bytes`);
  const hash = readVarint(data, reason);
  const size = readVarint(data.subarray(hash.length), reason);
  const start = hash.length + size.length;
  if (size.value > 0x7fffffff) throw new CidTextError(`${reason}digest too long, supporting only <= 2^31-1`);
  if (size.value > data.length - start)
    throw new CidTextError(`${reason}length greater than remaining number of bytes in buffer`);
  const length = start + size.value;
  return { hash: hash.value, digest: data.subarray(start, length), length };
}

/** Bytes of the longest number that go-varint reads (63 bits). */
const varintBytesMax = 9;

function readVarint(data: Buffer, reason: string): { readonly value: number; readonly length: number } {
  let value = 0;
  for (const [index, byte] of data.entries()) {
    if ((index === varintBytesMax - 1 && byte >= 0x80) || index >= varintBytesMax)
      throw new CidTextError(`${reason}varints larger than uint63 not supported`);
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte >= 0x80) continue;
    if (byte === 0 && index > 0) throw new CidTextError(`${reason}varint not minimally encoded`);
    return { value, length: index + 1 };
  }
  throw new CidTextError(`${reason}varints malformed, could not reach the end`);
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
