import { loopDigits, parameterDigits, subgroupDigits } from './digits.ts';
import { modulus, readElement, writeElement } from './field.ts';
import { pairBytes } from './formula.ts';
import { KnownLines, type Lines } from './known-lines.ts';
import { lineBytes, record, recordBytes } from './lines.ts';
import { addresses, batchMax, createPairingModule, type PairingFunctions, writePair } from './pairing-module.ts';
import type { PointPair } from './point-pair.ts';
import { targetBytes } from './tower.ts';

const target = (index: number) => addresses.targets + index * targetBytes;
const [total, loop, result] = [target(0), target(1), target(2)];
/** Intermediate results of the final exponentiation. */
const [t0, t1, t2, t3, t4] = [target(3), target(4), target(5), target(6), target(7)];
/** The powers 1, 3, 5 and 7 of an element, and the power that is computed. */
const odd = [target(8), target(9), target(10), target(11)] as const;
const working = target(12);

/**
 * The optimal ate pairing on alt_bn128 (EIP-197) in WebAssembly. Between two calls its memory keeps only lines of
 * points of G2, which depend on nothing else. Justified by tools/bench/peers.mjs, row `sums and pairings of alt_bn128`.
 */
export class Bn254Pairing {
  readonly #functions: PairingFunctions;
  readonly #memory: Int32Array;
  readonly #known = new KnownLines(addresses.lines, lineBytes, addresses.scratchLine);

  /** Compiles the module, which takes tens of milliseconds. */
  constructor() {
    const { functions, memory } = createPairingModule();
    this.#functions = functions;
    this.#memory = memory;
  }

  /**
   * Reports whether the product of the pairings of all pairs is one. Points are in the subgroup of their curve and not at
   * infinity; for others the result is undefined.
   */
  isProductOne(pairs: readonly PointPair[]): boolean {
    this.#writeOne(total);
    for (let from = 0; from < pairs.length; from += batchMax) {
      this.#runLoop(pairs.slice(from, from + batchMax));
      this.#functions.multiplyTargets(total, total, loop);
    }
    this.#exponentiate();
    return this.#isOne(result);
  }

  /** Reports whether a point of the curve of G2, not at infinity, is in the subgroup (https://eprint.iacr.org/2022/348, section 5.1). */
  isInSubgroup(q: PointPair['q']): boolean {
    const { beginLoop, doubleMultiple, addToMultiple, imageOf, beginAffine, endAffine, compare } = this.#functions;
    const { scratchLine, points, norm } = addresses;
    const [left, right] = [addresses.records, addresses.records + recordBytes];
    for (const at of [left, right]) {
      this.#writeRecord({ p: [0n, 0n], q }, at);
      beginLoop(at);
    }
    // The sum of (parameter + 1) Q and the first two images of parameter Q is the third image of 2 parameter Q.
    for (const digit of subgroupDigits) {
      doubleMultiple(left, scratchLine);
      if (digit !== 0) addToMultiple(left, left + (digit > 0 ? record.q : record.minusQ), scratchLine);
    }
    beginAffine(left);
    // Sums that the formulas do not cover, which no point of the subgroup needs, are at infinity, as are all sums after them.
    if (readElement(this.#memory, norm) === 0n) return false;
    this.#invertNorm();
    endAffine(points, left);
    for (let power = 0; power < 3; power++) {
      addToMultiple(right, points, scratchLine);
      imageOf(points, points);
    }
    this.#memory.copyWithin((left + record.q) / 4, points / 4, (points + 2 * pairBytes) / 4);
    beginLoop(left);
    doubleMultiple(left, scratchLine);
    compare(points, left, right);
    const isZero = (at: number) => readElement(this.#memory, at) + readElement(this.#memory, at + pairBytes / 2) === 0n;
    return isZero(points) && isZero(points + pairBytes) && !isZero(right + record.multiple + 2 * pairBytes);
  }

  /** Miller loop over the pairs of a batch. */
  #runLoop(pairs: readonly PointPair[]): void {
    const { squareTarget, multiplyByLine, beginLoop, doubleMultiple, addToMultiple, evaluateLine } = this.#functions;
    const lines = this.#known.claim(pairs);
    const records = pairs.map((pair, index) => ({
      ...(lines[index] as Lines),
      at: this.#writeRecord(pair, addresses.records + index * recordBytes),
    }));
    let count = 0;
    const eachLine = (compute: (at: number, line: number) => void) => {
      for (const { at, address, step, isKnown } of records) {
        const line = address + count * step;
        if (!isKnown) compute(at, line);
        evaluateLine(at, line);
        multiplyByLine(loop);
      }
      count++;
    };
    const addEach = (point: number) => eachLine((at, line) => addToMultiple(at, at + point, line));
    for (const { at, isKnown } of records) if (!isKnown) beginLoop(at);
    this.#writeOne(loop);
    for (const digit of loopDigits) {
      squareTarget(loop);
      eachLine(doubleMultiple);
      if (digit !== 0) addEach(digit > 0 ? record.q : record.minusQ);
    }
    addEach(record.firstImage);
    addEach(record.secondImage);
  }

  #writeRecord({ p: [px, py], q: [x, y] }: PointPair, at: number): number {
    writePair(this.#memory, at + record.q, x);
    writePair(this.#memory, at + record.q + pairBytes, y);
    writeElement(this.#memory, at + record.y, py);
    writeElement(this.#memory, at + record.minusX, -px);
    return at;
  }

  /**
   * Raises `total` to the power `(p**12 - 1) / r`, up to a factor that has no common divisor with r
   * (https://eprint.iacr.org/2015/192, algorithm of Fuentes-Castañeda).
   */
  #exponentiate(): void {
    const { multiplyTargets, squareUnitary, conjugateTarget, frobenius1, frobenius2, frobenius3 } = this.#functions;
    // The power (p**6 - 1) (p**2 + 1) makes the element unitary: its inverse is its conjugate.
    conjugateTarget(t0, total);
    this.#invert(result, total);
    multiplyTargets(t0, t0, result);
    frobenius2(result, t0);
    multiplyTargets(result, result, t0);

    this.#raise(t0, result);
    conjugateTarget(t0, t0);
    squareUnitary(t0);
    this.#copy(t1, t0);
    squareUnitary(t1);
    multiplyTargets(t1, t0, t1);
    this.#raise(t2, t1);
    conjugateTarget(t2, t2);
    conjugateTarget(t3, t1);
    multiplyTargets(t1, t2, t3);
    this.#copy(t3, t2);
    squareUnitary(t3);
    this.#raise(t4, t3);
    multiplyTargets(t4, t1, t4);
    multiplyTargets(t3, t0, t4);
    multiplyTargets(t0, t2, t4);
    multiplyTargets(t0, result, t0);
    frobenius1(t2, t3);
    multiplyTargets(t0, t2, t0);
    frobenius2(t2, t4);
    multiplyTargets(t0, t2, t0);
    conjugateTarget(t2, result);
    multiplyTargets(t2, t2, t3);
    frobenius3(t2, t2);
    multiplyTargets(result, t2, t0);
  }

  /** Raises a unitary element to the parameter of the curve. */
  #raise(to: number, from: number): void {
    const { multiplyTargets, squareUnitary, conjugateTarget } = this.#functions;
    this.#copy(odd[0], from);
    this.#copy(working, from);
    squareUnitary(working);
    for (const [index, at] of odd.entries()) if (index > 0) multiplyTargets(at, odd[index - 1] ?? from, working);
    this.#copy(to, odd[(Math.abs(parameterDigits[0] ?? 1) - 1) / 2] ?? from);
    for (const digit of parameterDigits.slice(1)) {
      squareUnitary(to);
      if (digit === 0) continue;
      const power = odd[(Math.abs(digit) - 1) / 2] ?? from;
      if (digit < 0) conjugateTarget(working, power);
      multiplyTargets(to, to, digit < 0 ? working : power);
    }
  }

  #invert(to: number, from: number): void {
    this.#functions.beginInversion(from);
    this.#invertNorm();
    this.#functions.endInversion(to, from);
  }

  /** One over the norm, a number that is not zero. */
  #invertNorm(): void {
    const { multiplyElements } = this.#functions;
    const { norm, inverse, one } = addresses;
    // Fermat's little theorem: the power p - 2.
    this.#memory.copyWithin(inverse / 4, one / 4, (one + pairBytes) / 4);
    for (const bit of (modulus - 2n).toString(2)) {
      multiplyElements(inverse, inverse, inverse);
      if (bit === '1') multiplyElements(inverse, inverse, norm);
    }
  }

  #copy(to: number, from: number): void {
    this.#memory.copyWithin(to / 4, from / 4, (from + targetBytes) / 4);
  }

  #writeOne(at: number): void {
    this.#memory.fill(0, at / 4, (at + targetBytes) / 4);
    writeElement(this.#memory, at, 1n);
  }

  #isOne(at: number): boolean {
    for (let offset = 0; offset < targetBytes; offset += pairBytes / 2)
      if (readElement(this.#memory, at + offset) !== (offset === 0 ? 1n : 0n)) return false;
    return true;
  }
}
