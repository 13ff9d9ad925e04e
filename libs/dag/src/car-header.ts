import { Slices } from '@cairn/blockstore/core';
import { CID } from '@cairn/cid';
import { bytesFromHexDigits, bytesFromLatin1, compareBytes, latin1FromBytes } from '@cairn/platform';
import * as dagCbor from '@ipld/dag-cbor';

/** Decoded header of a CAR, not validated. */
export interface CarHeader {
  readonly version: unknown;
  readonly roots: unknown;
}

/** Headers up to this length are decoded synchronously. */
const wholeBytesMax = 16 * 1024;
const rootsPerStep = 128;
const [linkTagByte, linkTagArgument, bytesWithLength] = [0xd8, 0x2a, 0x58] as const;

/**
 * Decodes the header of a CAR. A long header has many roots: it is decoded in slices, and equal roots share one CID.
 * @throws Error
 */
export async function decodeCarHeader(bytes: Uint8Array): Promise<CarHeader> {
  if (bytes.length > wholeBytesMax) return await new LongHeader(bytes).read();
  const { version, roots } = Object(dagCbor.decode(bytes)) as Partial<CarHeader>;
  return { version, roots };
}

/** Decoder of a map with `roots` and `version`, the only form of a long header. */
class LongHeader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async read(): Promise<CarHeader> {
    this.#expect(0xa2, 'a map of two entries');
    let roots: readonly CID[] | undefined;
    let version: number | undefined;
    for (let entry = 0; entry < 2; entry++) {
      const isRoots = this.#take('65726f6f7473');
      if (isRoots && roots === undefined) roots = await this.#roots();
      else if (!isRoots && version === undefined && this.#take('6776657273696f6e')) version = this.#byte();
      else throw new Error('it has other keys than roots and version');
    }
    if (this.#at < this.#bytes.length) throw new Error('bytes follow its end');
    return { version, roots };
  }

  async #roots(): Promise<CID[]> {
    const roots: CID[] = [];
    const known = new Map<string, CID>();
    const slices = new Slices();
    for (let left = this.#listLength(); left > 0; left--) {
      const key = this.#link();
      const root = known.get(key) ?? CID.decode(bytesFromLatin1(key));
      known.set(key, root);
      roots.push(root);
      if (left % rootsPerStep === 0) await slices.step();
    }
    return roots;
  }

  /** Reads the bytes of a link, as latin1. */
  #link(): string {
    this.#expect(linkTagByte, 'a link');
    this.#expect(linkTagArgument, 'a link');
    const first = this.#byte();
    // Shorter byte strings encode their length in the first byte.
    const length = first === bytesWithLength ? this.#byte() : first >= 0x40 && first < 0x58 ? first - 0x40 : 0;
    const end = this.#at + length;
    if (length === 0 || end > this.#bytes.length || this.#byte() !== 0) throw new Error('it has no valid link');
    const key = latin1FromBytes(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return key;
  }

  #listLength(): number {
    const first = this.#byte();
    if (first >= 0x80 && first < 0x98) return first - 0x80;
    const width = [1, 2, 4][first - 0x98];
    if (width === undefined || this.#at + width > this.#bytes.length) throw new Error('its roots are not a list');
    let length = 0;
    for (const byte of this.#bytes.subarray(this.#at, this.#at + width)) length = length * 256 + byte;
    this.#at += width;
    return length;
  }

  #take(hex: string): boolean {
    const text = bytesFromHexDigits(hex);
    if (compareBytes(this.#bytes.subarray(this.#at, this.#at + text.length), text) !== 0) return false;
    this.#at += text.length;
    return true;
  }

  #expect(byte: number, what: string): void {
    if (this.#byte() !== byte) throw new Error(`${what} is expected at byte ${this.#at - 1}`);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('it is truncated');
    return byte;
  }
}
