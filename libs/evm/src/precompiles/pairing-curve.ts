/// <reference path="./mcl-wasm.d.ts" />

import { bigintFromBytes, bytesFromBigint } from '@cairn/block-model';
import type { PointPair } from '@cairn/evm-compiler/pairing';
import { compareBytes } from '@cairn/platform';
import createModule, { type MclFunction, type MclModule } from 'mcl-wasm/dist/mcl_c.js';
import { KnownPoints } from './known-points.ts';

/** Subgroups of a pairing: points over the field, and over its quadratic extension. */
export type Group = 'G1' | 'G2';

/** Encoding of the points of a curve in the EVM. */
export interface CurveFormat {
  /** Number of the curve in mcl. */
  readonly number: number;
  /** Modulus of the field. */
  readonly modulus: bigint;
  /** Length of a coordinate, big-endian with leading zeros. */
  readonly coordinateBytes: number;
  /** Elements of the extension begin with their imaginary part. */
  readonly isImaginaryFirst: boolean;
  /** Each point of the curve over the field is in the subgroup, so that no check is needed. */
  readonly isG1Whole: boolean;
  /** Check of the subgroup of G2 that takes less time than mcl's. */
  readonly isInSubgroup?: (q: PointPair['q']) => boolean;
}

/** Bytes that do not encode a point. */
export class BadPoint {
  /** `padding`: the bytes before a coordinate are not zeros. */
  readonly reason: 'padding' | 'field' | 'curve' | 'subgroup';
  /** Group in which the point is invalid; absent for invalid coordinates. */
  readonly group: Group | undefined;

  constructor(reason: BadPoint['reason'], group?: Group) {
    this.reason = reason;
    this.group = group;
  }
}

/** Compile-time parameter of mcl: ten times the 64-bit limbs of scalars, plus those of field elements. */
const compiledFor = 46;
const fieldBytes = 48;
const scalarBytes = 32;
const pointBytes = { G1: 3 * fieldBytes, G2: 6 * fieldBytes } as const;
const targetBytes = 12 * fieldBytes;
/** Points in one batch. */
const batchMax = 64;
/** Points of G2 that are known to be in the subgroup; 16 KiB on alt_bn128. */
const knownMax = 128;
/** Maps to curves as in RFC 9380. */
const mapToModeRfc = 5;

/**
 * A pairing-friendly curve on mcl, in WebAssembly. It has its own instance and memory, since mcl sets its curve globally and other
 * users in the process may need another one. Between calls it keeps only points of G2 that passed the check of their subgroup,
 * since verifiers of proofs pass the same points each time. The check of a point takes as long as two thirds of a Miller loop
 * (`node tools/bench/evm.mjs`, `proofs`). `curves.spec.ts` compares results with those of another library.
 */
export class PairingCurve {
  readonly #mcl: MclModule;
  readonly #format: CurveFormat;
  readonly #modulus: Uint8Array;
  /** Length of a coordinate without its padding. */
  readonly #digits: number;
  readonly #known = new KnownPoints(knownMax);
  readonly #place: Readonly<Record<Group | 'more' | 'scalars' | 'target' | 'product' | 'bytes', number>>;

  private constructor(mcl: MclModule, format: CurveFormat) {
    this.#mcl = mcl;
    this.#format = format;
    this.#modulus = new Uint8Array(format.coordinateBytes);
    const modulus = bytesFromBigint(format.modulus);
    this.#modulus.set(modulus, format.coordinateBytes - modulus.length);
    this.#digits = modulus.length;
    const place = (bytes: number) => this.#call('_malloc', bytes);
    this.#place = {
      G1: place(batchMax * pointBytes.G1),
      G2: place(batchMax * pointBytes.G2),
      more: place(pointBytes.G2),
      scalars: place(batchMax * scalarBytes),
      target: place(targetBytes),
      product: place(targetBytes),
      bytes: place(fieldBytes),
    };
  }

  /** Loads mcl and selects the curve. Takes tens of milliseconds. */
  static async load(format: CurveFormat): Promise<PairingCurve> {
    const mcl = await createModule({ cryptoGetRandomValues: (bytes) => crypto.getRandomValues(bytes) });
    const curve = new PairingCurve(mcl, format);
    if (curve.#call('_mclBn_init', format.number, compiledFor) !== 0)
      throw new Error(`mcl has no curve with the number ${format.number}.`);
    // Subgroup checks are made where the EIPs require them.
    curve.#call('_mclBn_verifyOrderG1', 0);
    curve.#call('_mclBn_verifyOrderG2', 0);
    curve.#call('_mclBn_setMapToMode', mapToModeRfc);
    return curve;
  }

  /** Length of an encoded point. */
  bytesOf(group: Group): number {
    return this.#format.coordinateBytes * (group === 'G1' ? 2 : 4);
  }

  /** Sum of two points, which need not be in the subgroup. @throws BadPoint */
  add(group: Group, input: Uint8Array): Uint8Array {
    const { [group]: first, more: second } = this.#place;
    this.#read(group, first, input, 0, false);
    this.#read(group, second, input, this.bytesOf(group), false);
    this.#call(`_mclBn${group}_add`, first, first, second);
    return this.#write(group, first);
  }

  /** Sum of multiples of points. Each point is followed by its factor of 32 bytes. @throws BadPoint */
  multiply(group: Group, input: Uint8Array): Uint8Array {
    const { [group]: points, more: sum, scalars, target: part } = this.#place;
    const pairBytes = this.bytesOf(group) + scalarBytes;
    this.#call(`_mclBn${group}_clear`, sum);
    for (let from = 0; from < input.length; ) {
      let count = 0;
      for (; count < batchMax && from < input.length; from += pairBytes) {
        // Points at infinity add nothing.
        if (!this.#read(group, points + count * pointBytes[group], input, from, true)) continue;
        this.#put(input.subarray(from + pairBytes - scalarBytes, from + pairBytes));
        this.#call('_mclBnFr_setBigEndianMod', scalars + count * scalarBytes, this.#place.bytes, scalarBytes);
        count++;
      }
      if (count === 0) continue;
      this.#call(`_mclBn${group}_mulVec`, part, points, scalars, count);
      this.#call(`_mclBn${group}_add`, sum, sum, part);
    }
    return this.#write(group, sum);
  }

  /** Reports whether the product of the pairings of points, a G1 and a G2 each, is one. @throws BadPoint */
  isPairingOne(input: Uint8Array): boolean {
    const { G1, G2, target, product } = this.#place;
    const [leftBytes, pairBytes] = [this.bytesOf('G1'), this.bytesOf('G1') + this.bytesOf('G2')];
    this.#call('_mclBnGT_setInt', product, 1);
    for (let from = 0; from < input.length; ) {
      let count = 0;
      for (; count < batchMax && from < input.length; from += pairBytes) {
        const isLeft = this.#read('G1', G1 + count * pointBytes.G1, input, from, true);
        const isRight = this.#read('G2', G2 + count * pointBytes.G2, input, from + leftBytes, true);
        // The pairing with a point at infinity is one.
        if (isLeft && isRight) count++;
      }
      if (count === 0) continue;
      this.#call('_mclBn_millerLoopVec', target, G1, G2, count);
      this.#call('_mclBnGT_mul', product, product, target);
    }
    this.#call('_mclBn_finalExp', product, product);
    return this.#call('_mclBnGT_isOne', product) === 1;
  }

  /**
   * Checked pairs of points, a G1 and a G2 each, without those of which one point is at infinity: their pairing is one.
   * @throws BadPoint
   */
  pairsOf(input: Uint8Array): PointPair[] {
    const { G1, G2 } = this.#place;
    const [leftBytes, pairBytes] = [this.bytesOf('G1'), this.bytesOf('G1') + this.bytesOf('G2')];
    const pairs: PointPair[] = [];
    for (let from = 0; from < input.length; from += pairBytes) {
      const isLeft = this.#read('G1', G1, input, from, true);
      const isRight = this.#read('G2', G2, input, from + leftBytes, true);
      if (!isLeft || !isRight) continue;
      const p = [this.#numberAt(input, from), this.#numberAt(input, from + leftBytes / 2)] as const;
      pairs.push({ p, q: this.#pointAt(input, from + leftBytes) });
    }
    return pairs;
  }

  #numberAt(input: Uint8Array, from: number): bigint {
    return bigintFromBytes(input.subarray(from, from + this.#format.coordinateBytes));
  }

  /** Coordinates of a point of G2. */
  #pointAt(input: Uint8Array, from: number): PointPair['q'] {
    const { coordinateBytes, isImaginaryFirst } = this.#format;
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => this.#numberAt(input, from + index * coordinateBytes)) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    return isImaginaryFirst
      ? [
          [b, a],
          [d, c],
        ]
      : [
          [a, b],
          [c, d],
        ];
  }

  /** Maps an element of the field, or of its extension, to a point (RFC 9380). @throws BadPoint */
  map(group: Group, input: Uint8Array): Uint8Array {
    const { [group]: point, more: element } = this.#place;
    if (group === 'G1') this.#readField(element, input, 0);
    else this.#readExtension(element, input, 0);
    this.#call(group === 'G1' ? '_mclBnFp_mapToG1' : '_mclBnFp2_mapToG2', point, element);
    return this.#write(group, point);
  }

  /** Reads a point to an address. Returns false for the point at infinity, which is encoded as zeros. */
  #read(group: Group, at: number, input: Uint8Array, from: number, isOfSubgroup: boolean): boolean {
    const { coordinateBytes } = this.#format;
    const bytes = this.bytesOf(group);
    if (isZero(input, from, bytes)) {
      this.#call(`_mclBn${group}_clear`, at);
      return false;
    }
    const half = pointBytes[group] / 3;
    if (group === 'G1') {
      this.#readField(at, input, from);
      this.#readField(at + half, input, from + coordinateBytes);
    } else {
      this.#readExtension(at, input, from);
      this.#readExtension(at + half, input, from + 2 * coordinateBytes);
      this.#call('_mclBnFp_clear', at + 2 * half + fieldBytes);
    }
    this.#call('_mclBnFp_setInt32', at + 2 * half, 1);
    if (this.#call(`_mclBn${group}_isValid`, at) !== 1) throw new BadPoint('curve', group);
    if (isOfSubgroup) this.#checkSubgroup(group, at, input.subarray(from, from + bytes));
    return true;
  }

  #checkSubgroup(group: Group, at: number, encoded: Uint8Array): void {
    if (group === 'G1' && this.#format.isG1Whole) return;
    if (group === 'G2' && this.#known.has(encoded)) return;
    const { isInSubgroup } = this.#format;
    const isInside =
      group === 'G2' && isInSubgroup !== undefined
        ? isInSubgroup(this.#pointAt(encoded, 0))
        : this.#call(`_mclBn${group}_isValidOrder`, at) === 1;
    if (!isInside) throw new BadPoint('subgroup', group);
    if (group === 'G2') this.#known.add(encoded);
  }

  #readExtension(at: number, input: Uint8Array, from: number): void {
    const { coordinateBytes, isImaginaryFirst } = this.#format;
    this.#readField(at, input, from + (isImaginaryFirst ? coordinateBytes : 0));
    this.#readField(at + fieldBytes, input, from + (isImaginaryFirst ? 0 : coordinateBytes));
  }

  #readField(at: number, input: Uint8Array, from: number): void {
    const { coordinateBytes } = this.#format;
    const coordinate = input.subarray(from, from + coordinateBytes);
    if (!isZero(coordinate, 0, coordinateBytes - this.#digits)) throw new BadPoint('padding');
    if (compareBytes(coordinate, this.#modulus) >= 0) throw new BadPoint('field');
    const digits = coordinate.subarray(Math.max(0, coordinateBytes - fieldBytes));
    this.#put(digits);
    this.#call('_mclBnFp_setBigEndianMod', at, this.#place.bytes, digits.length);
  }

  #write(group: Group, at: number): Uint8Array {
    const { coordinateBytes, isImaginaryFirst } = this.#format;
    const output = new Uint8Array(this.bytesOf(group));
    if (this.#call(`_mclBn${group}_isZero`, at) === 1) return output;
    this.#call(`_mclBn${group}_normalize`, at, at);
    const elements = group === 'G1' ? [0, 1] : isImaginaryFirst ? [1, 0, 3, 2] : [0, 1, 2, 3];
    for (const [index, element] of elements.entries()) {
      const { bytes } = this.#place;
      const length = this.#call('_mclBnFp_getLittleEndian', bytes, fieldBytes, at + element * fieldBytes);
      const digits = new Uint8Array(this.#mcl.wasmMemory.buffer, bytes, length).slice().reverse();
      output.set(digits, (index + 1) * coordinateBytes - length);
    }
    return output;
  }

  #put(bytes: Uint8Array): void {
    new Uint8Array(this.#mcl.wasmMemory.buffer, this.#place.bytes, bytes.length).set(bytes);
  }

  #call(name: `_${string}`, ...args: number[]): number {
    return (this.#mcl[name] as MclFunction)(...args);
  }
}

function isZero(bytes: Uint8Array, from: number, length: number): boolean {
  for (let at = from; at < from + length; at++) if (bytes[at] !== 0) return false;
  return true;
}
