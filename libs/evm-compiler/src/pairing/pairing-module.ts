import { encodeModule } from '../wasm/module.ts';
import { webAssembly } from '../wasm/web-assembly.ts';
import { loopDigits } from './digits.ts';
import { elementBytes, invert, type Pair, writeElement } from './field.ts';
import { Formula, formulaEnd, operations, type Place, pairBytes, type Triple } from './formula.ts';
import { conjugateTarget, frobenius, frobeniusFactors, powers } from './frobenius.ts';
import { beginInversion, endInversion } from './inversion.ts';
import { addToMultiple, beginLoop, doubleMultiple, evaluateLine, lineBytes, recordBytes } from './lines.ts';
import { beginAffine, compare, endAffine, imageOf } from './subgroup.ts';
import { multiplyByLine, multiplyTargets, squareTarget, squareUnitary, targetBytes } from './tower.ts';

/** Pairs of points in one run of the Miller loop. */
export const batchMax = 64;
/** Elements of the extension of degree 12 that the caller may use. */
const targetsMax = 13;
/** Points of G2 whose lines are kept; 200 KiB. */
const knownMax = 8;
/** Lines of a point: one for each digit, one more for a digit that is not zero, and those of its two images. */
const lineCount = loopDigits.length + loopDigits.filter((digit) => digit !== 0).length + 2;
const pageBytes = 65_536;

let end = formulaEnd;
const reserve = (bytes: number) => {
  const start = end;
  end += bytes;
  return start;
};
const place = (): Place => ({ base: undefined, offset: reserve(pairBytes) });
const triple = (): Triple => [place(), place(), place()];

const one = place();
const coefficient = place();
const factors = powers.map(() => [1, 2, 3, 4, 5].map(place));
const line = triple();
const inversion = { adjugate: triple(), inner: place(), norm: place() };
const inverse = place();

/** Addresses in the memory of the module. */
export const addresses = {
  one: one.offset,
  norm: inversion.norm.offset,
  inverse: inverse.offset,
  targets: reserve(targetsMax * targetBytes),
  records: reserve(batchMax * recordBytes),
  /** A point of two coordinates. */
  points: reserve(2 * pairBytes),
  scratchLine: reserve(lineBytes),
  lines: Array.from({ length: knownMax }, () => reserve(lineCount * lineBytes)),
} as const;

/** Factors of `w**2` and `w**3`: those of the coordinates of a point of the twisted curve. */
function imageFactors(index: number) {
  const [, x = one, y = one] = factors[index] ?? [];
  return { x, y };
}

const functions = [
  ...operations,
  multiplyTargets(new Formula('multiplyTargets', ['to', 'a', 'b'])),
  squareTarget(new Formula('squareTarget', ['a'])),
  squareUnitary(new Formula('squareUnitary', ['a'])),
  multiplyByLine(new Formula('multiplyByLine', ['a']), line),
  beginLoop(one, [imageFactors(0), imageFactors(1)]),
  doubleMultiple(coefficient),
  addToMultiple(),
  evaluateLine(line),
  imageOf(imageFactors(0)),
  beginAffine(inversion.norm),
  endAffine(inverse),
  compare(),
  conjugateTarget(),
  beginInversion(inversion),
  endInversion(inversion, inverse),
  ...powers.map((power, index) => frobenius(power, factors[index] ?? [])),
];

/** Functions of the module. Parameters are addresses. */
export interface PairingFunctions {
  multiplyElements(to: number, a: number, b: number): void;
  multiply(to: number, a: number, b: number): void;
  square(to: number, a: number): void;
  add(to: number, a: number, b: number): void;
  subtract(to: number, a: number, b: number): void;
  conjugate(to: number, a: number): void;
  reduce(to: number, a: number): void;
  twistAndAdd(to: number, a: number, b: number): void;
  multiplyTargets(to: number, a: number, b: number): void;
  squareTarget(a: number): void;
  squareUnitary(a: number): void;
  multiplyByLine(a: number): void;
  beginLoop(pair: number): void;
  doubleMultiple(pair: number, line: number): void;
  addToMultiple(pair: number, q: number, line: number): void;
  evaluateLine(pair: number, line: number): void;
  imageOf(to: number, a: number): void;
  beginAffine(a: number): void;
  endAffine(to: number, a: number): void;
  compare(to: number, a: number, b: number): void;
  conjugateTarget(to: number, a: number): void;
  beginInversion(a: number): void;
  endInversion(to: number, a: number): void;
  frobenius1(to: number, a: number): void;
  frobenius2(to: number, a: number): void;
  frobenius3(to: number, a: number): void;
}

export function writePair(memory: Int32Array, at: number, [real, imaginary]: Pair): void {
  writeElement(memory, at, real);
  writeElement(memory, at + elementBytes, imaginary);
}

/** Compiles the module, which takes some milliseconds, and writes its constants. */
export function createPairingModule(): { readonly functions: PairingFunctions; readonly memory: Int32Array } {
  const pages = Math.ceil(end / pageBytes);
  const memory = new webAssembly.Memory({ initial: pages, maximum: pages });
  const module = new webAssembly.Module(encodeModule([], functions));
  const { exports } = new webAssembly.Instance(module, { host: { memory } });
  const integers = new Int32Array(memory.buffer);
  // The curve of Q is y**2 = x**3 + 3 / (9 + u), and 1 / (9 + u) is (9 - u) / 82.
  writePair(integers, one.offset, [1n, 0n]);
  const unit = invert(82n);
  writePair(integers, coefficient.offset, [81n * unit, -9n * unit]);
  for (const [index, power] of powers.entries())
    for (const [at, factor] of frobeniusFactors(power).entries())
      writePair(integers, factors[index]?.[at]?.offset ?? 0, factor);
  return { functions: exports as unknown as PairingFunctions, memory: integers };
}
