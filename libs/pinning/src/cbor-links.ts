// Hot path of every walk over dag-cbor. It finds links without creating values, since decoding a block of 2 MiB can take a
// second. links.spec.ts compares it with the decoder of @ipld/dag-cbor; links.bench.ts measures both.
import { isCidAt } from '@cairn/cid';
import { CidList } from './cid-list.ts';

const linkTag = 42;
/** Items between two pauses. */
const itemsPerStep = 2048;
/** Field of DAG-JOSE that contains the bytes of the signed CID. */
const payloadKey = 'payload';
/** Bounds the memory for open lists and maps. Codecs that create values refuse far lower depths. */
const depthMax = 100_000;
const nullByte = 0xf6;
const [bytesMajor, textMajor, listMajor, mapMajor, tagMajor, simpleMajor] = [2, 3, 4, 5, 6, 7] as const;

/** An open list or map. */
interface Open {
  /** Remaining items; keys count as items. */
  left: number;
  /** Keys of a map; undefined for a list. */
  readonly keys: Keys | undefined;
}

/** Keys of a map so far. Keys in order, as in most maps, need no set to detect repetitions. */
interface Keys {
  readonly inOrder: string[];
  all: Set<string> | undefined;
}

/**
 * Finds the CIDs of a dag-cbor block in the order of its bytes. The strict form is required, except that texts need not be valid
 * UTF-8.
 * @throws Error
 */
export function cborLinkSteps(block: Uint8Array): Generator<undefined, CidList> {
  return new CborScan(block, { isJose: false }).steps();
}

/** Finds the CIDs of a dag-jose block, including the one in the payload. @throws Error */
export function joseLinkSteps(block: Uint8Array): Generator<undefined, CidList> {
  return new CborScan(block, { isJose: true }).steps();
}

class CborScan {
  readonly #bytes: Buffer;
  readonly #isJose: boolean;
  #at = 0;
  readonly #links = new CidList();
  /** Enclosing lists and maps, the outermost first. */
  readonly #outer: Open[] = [];

  constructor(block: Uint8Array, { isJose }: { readonly isJose: boolean }) {
    this.#bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    this.#isJose = isJose;
  }

  *steps(): Generator<undefined, CidList> {
    let open: Open = { left: 1, keys: undefined };
    let isPayload = false;
    for (let items = 1; ; items++) {
      if (items % itemsPerStep === 0) yield;
      while (open.left === 0) {
        const outer = this.#outer.pop();
        if (outer === undefined) {
          if (this.#at < this.#bytes.length)
            throw new Error('CBOR decode error: too many terminals, data makes no sense');
          return this.#links;
        }
        open = outer;
      }
      open.left--;
      // Keys and values alternate, and a map begins with an even number of items.
      if (open.keys !== undefined && open.left % 2 === 1) {
        const key = this.#key(open.keys);
        isPayload = this.#isJose && this.#outer.length === 1 && key === payloadKey;
      } else {
        if (isPayload) this.#payload();
        isPayload = false;
        const inner = this.#value();
        if (inner === undefined) continue;
        if (this.#outer.push(open) > depthMax) throw new Error(`it is nested deeper than ${depthMax}`);
        open = inner;
      }
    }
  }

  /** Skips a scalar, or returns the list or map that it opens. */
  #value(): Open | undefined {
    const first = this.#byte();
    const major = first >> 5;
    if (major === simpleMajor) this.#simple(first);
    else if (major === tagMajor) this.#link(first);
    else {
      const argument = this.#argument(first);
      if (major === bytesMajor || major === textMajor) this.#skip(argument);
      else if (major === listMajor) return { left: argument, keys: undefined };
      else if (major === mapMajor) return { left: argument * 2, keys: { inOrder: [], all: undefined } };
    }
    return undefined;
  }

  /** Reads the CID of a payload without advancing; the value is skipped afterwards. */
  #payload(): void {
    const start = this.#at;
    const first = this.#byte();
    if (first >> 5 === bytesMajor) {
      const length = this.#argument(first);
      const from = this.#at;
      this.#skip(length);
      this.#push(from, this.#at);
    } else if (first !== nullByte) throw new Error('its payload is not a byte string');
    this.#at = start;
  }

  /** Reads a key as latin1. */
  #key(keys: Keys): string {
    const first = this.#byte();
    if (first >> 5 !== textMajor) throw new Error('CBOR decode error: non-string keys not supported');
    const start = this.#at;
    const length = this.#argument(first);
    const from = this.#at;
    this.#skip(length);
    const key = this.#bytes.toString('latin1', from, from + length);
    const last = keys.inOrder.at(-1) ?? '';
    const isNext = key.length > last.length || (key.length === last.length && key > last);
    if (keys.all === undefined && (isNext || keys.inOrder.length === 0)) keys.inOrder.push(key);
    else {
      keys.all ??= new Set(keys.inOrder);
      if (keys.all.has(key)) throw new Error(`CBOR decode error: found repeat map key at byte ${start}`);
      keys.all.add(key);
    }
    return key;
  }

  #link(first: number): void {
    if (this.#argument(first) !== linkTag) throw new Error('CBOR decode error: tag not supported');
    const bytes = this.#byte();
    if (bytes >> 5 !== bytesMajor) throw new Error('CBOR decode error: a link is not a byte string');
    const length = this.#argument(bytes);
    const start = this.#at;
    this.#skip(length);
    if (this.#bytes[start] !== 0) throw new Error('Invalid CID for CBOR tag 42; expected leading 0x00');
    this.#push(start + 1, start + length);
  }

  #push(start: number, end: number): void {
    if (!isCidAt(this.#bytes, start, end)) throw new Error('CBOR decode error: a link has no valid CID');
    this.#links.push(this.#bytes, start, end);
  }

  #simple(first: number): void {
    const low = first & 31;
    if (low >= 20 && low <= 23) return;
    if (low < 25 || low > 27) throw new Error(`CBOR decode error: unknown simple value 0x${first.toString(16)}`);
    const start = this.#at;
    this.#skip(2 ** (low - 24));
    const isNumber = low === 25 ? (this.#bytes.readUInt16BE(start) & 0x7c00) !== 0x7c00 : this.#isFinite(start, low);
    if (!isNumber) throw new Error('CBOR decode error: NaN and Infinity are not supported');
  }

  #isFinite(start: number, low: number): boolean {
    return Number.isFinite(low === 26 ? this.#bytes.readFloatBE(start) : this.#bytes.readDoubleBE(start));
  }

  /** Reads the argument of an item, which must have the shortest form. */
  #argument(first: number): number {
    const low = first & 31;
    if (low < 24) return low;
    if (low > 27) throw new Error('CBOR decode error: indefinite length items not allowed');
    const start = this.#at;
    this.#skip(2 ** (low - 24));
    const bytes = this.#bytes;
    if (low === 24) return shortest(bytes.readUInt8(start), 24);
    if (low === 25) return shortest(bytes.readUInt16BE(start), 2 ** 8);
    if (low === 26) return shortest(bytes.readUInt32BE(start), 2 ** 16);
    return shortest(bytes.readUInt32BE(start) * 2 ** 32 + bytes.readUInt32BE(start + 4), 2 ** 32);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('CBOR decode error: unexpected end of data');
    return byte;
  }

  #skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new Error('CBOR decode error: not enough data for type');
  }
}

function shortest(value: number, least: number): number {
  if (value < least) throw new Error('CBOR decode error: integer encoded in more bytes than necessary (strict decode)');
  return value;
}
