import { CID } from '@cairn/cid';
import { concatBytes } from '@cairn/platform';
import { addEntry, assertDepth, IpldFloat, type IpldValue } from './ipld-value.ts';

const linkTag = 42n;
const int64Max = 2n ** 63n - 1n;

/**
 * Decodes CBOR as go-ipld-prime does. It accepts more than the strict form: non-minimal numbers, any order of keys,
 * indefinite lengths, short floats, and undefined as null.
 * @throws Error
 */
export function readCbor(bytes: Uint8Array, allowLinks: boolean): IpldValue {
  const reader = new CborReader(bytes, allowLinks);
  const value = reader.value(0);
  if (!reader.isAtEnd) throw new Error('unexpected content after end of cbor object');
  return value;
}

/** One-byte values, created once, since creating a BigInt is slow. */
const smallIntegers = Array.from({ length: 24 }, (_, value) => BigInt(value));
const undefinedByte = 0xf7;
const breakByte = 0xff;

class CborReader {
  readonly #bytes: Uint8Array;
  readonly #allowLinks: boolean;
  #at = 0;

  constructor(bytes: Uint8Array, allowLinks: boolean) {
    this.#bytes = bytes;
    this.#allowLinks = allowLinks;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(depth: number): IpldValue {
    const first = this.#byte();
    const major = first >> 5;
    switch (major) {
      case 0:
        return this.#argument(first);
      case 1:
        return this.#negative(first);
      case 2:
        return new Uint8Array(this.#chunks(first));
      case 3:
        return textOf(this.#chunks(first));
      case 4:
        return this.#list(first, depth);
      case 5:
        return this.#map(first, depth);
      case 6:
        return this.#tagged(this.#argument(first), depth);
      default:
        return this.#simple(first, first & 31);
    }
  }

  #simple(first: number, low: number): IpldValue {
    if (low === 20 || low === 21) return low === 21;
    if (low === 22 || first === undefinedByte) return null;
    if (low === 25) return new IpldFloat(halfFloat(this.#view(2).getUint16(0)));
    if (low === 26) return new IpldFloat(this.#view(4).getFloat32(0));
    if (low === 27) return new IpldFloat(this.#view(8).getFloat64(0));
    throw new Error(`Invalid majorByte: 0x${first.toString(16)}`);
  }

  #argument(first: number): bigint {
    const low = first & 31;
    if (low < 24) return smallIntegers[low] ?? 0n;
    if (low > 27) throw new Error(`decodeUint: Invalid descriptor: ${first}`);
    return this.#take(2 ** (low - 24)).reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  }

  #negative(first: number): bigint {
    const value = this.#argument(first);
    if (value > int64Max) throw new Error('cbor: negative integer out of rage of int64 type');
    return -1n - value;
  }

  /** Reads the bytes of a string, in one piece or in several up to a break. */
  #chunks(first: number): Uint8Array {
    if ((first & 31) !== 31) return this.#take(this.#length(first));
    const chunks: Uint8Array[] = [];
    for (;;) {
      const next = this.#byte();
      if (next === breakByte) return concatBytes(chunks);
      if (next >> 5 !== first >> 5)
        throw new Error('cbor: expect bytes or string major type in indefinite string/bytes');
      chunks.push(this.#take(this.#length(next)));
    }
  }

  #list(first: number, depth: number): IpldValue {
    assertDepth(depth);
    const list: IpldValue[] = [];
    for (const left = this.#items(first); left(); ) list.push(this.value(depth + 1));
    return list;
  }

  #map(first: number, depth: number): IpldValue {
    assertDepth(depth);
    const map = new Map<string, IpldValue>();
    for (const left = this.#items(first); left(); ) {
      const key = this.#byte();
      if (key >> 5 !== 3) throw new Error(`unexpected ${tokens[key >> 5] ?? 'other'} token while expecting map key`);
      addEntry(map, textOf(this.#chunks(key)), this.value(depth + 1));
    }
    return map;
  }

  /** Returns a function that reports whether another item follows: by count, or until a break. */
  #items(first: number): () => boolean {
    if ((first & 31) === 31) {
      return () => {
        if (this.#bytes[this.#at] !== breakByte) return true;
        this.#at++;
        return false;
      };
    }
    let left = Number(this.#argument(first));
    return () => left-- > 0;
  }

  /** Decodes a tagged value. Tagged bytes must be a link; tags of other values are ignored, as in refmt. */
  #tagged(tag: bigint, depth: number): IpldValue {
    const major = (this.#bytes[this.#at] ?? 0) >> 5;
    if (major === 6) throw new Error('unsupported multiple tags on a single data item');
    if (major !== 2) return this.value(depth);
    const first = this.#byte();
    if (tag !== linkTag || !this.#allowLinks) throw new Error(`unhandled cbor tag ${tag}`);
    const bytes = this.#chunks(first);
    if (bytes[0] !== 0) throw new Error('invalid multibase on IPLD link');
    return CID.decode(new Uint8Array(bytes.subarray(1)));
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('unexpected EOF');
    this.#at++;
    return byte;
  }

  #length(first: number): number {
    return Number(this.#argument(first));
  }

  #view(length: number): DataView {
    const taken = this.#take(length);
    return new DataView(taken.buffer, taken.byteOffset, length);
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new Error('unexpected EOF');
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }
}

/** Names of refmt's tokens by major type. */
const tokens = ['uint', 'int', 'bytes', 'string', 'arrOpen', 'mapOpen', 'bytes'] as const;

/** Decodes text. @throws TypeError for invalid UTF-8 */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Decodes IEEE 754 binary16. */
function halfFloat(bits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
