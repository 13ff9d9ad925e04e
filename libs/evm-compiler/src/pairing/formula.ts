import { assemble } from '../wasm/assemble.ts';
import type { FunctionCode } from '../wasm/module.ts';
import { elementBytes } from './field.ts';
import { multiply, multiplyElements, square } from './multiplications.ts';
import { add, conjugate, reduce, subtract, twistAndAdd } from './sums.ts';

/** Bytes of an element of the quadratic extension. */
export const pairBytes = 2 * elementBytes;

/** Functions on elements that formulas call, in the order of their module. */
export const operations = [multiplyElements, multiply, square, add, subtract, conjugate, reduce, twistAndAdd] as const;
const indices = Object.fromEntries(operations.map(({ name }, index) => [String(name), index]));

/** An element of the quadratic extension in memory: at an address, or at an offset from a parameter. */
export interface Place {
  readonly base: string | undefined;
  readonly offset: number;
}

/** The element zero, at the start of the memory. */
export const zero: Place = { base: undefined, offset: 0 };

/** Intermediate results of formulas follow it. */
const temporaries = pairBytes;
const temporariesMax = 80;
/** First address after those that formulas use. */
export const formulaEnd = temporaries + temporariesMax * pairBytes;

/** An element of the extension of degree 6, `a + b v + c v**2` with `v**3 = 9 + u`. */
export type Triple = readonly [Place, Place, Place];

/** Bounds of an element: limbs in units of 2**28, the value in units of the modulus. */
interface Bounds {
  readonly limbs: number;
  readonly value: number;
}

/** Elements that outlive a formula keep this bound. */
const kept: Bounds = { limbs: 1, value: 1 };
const reduced: Bounds = { limbs: 1, value: 0.51 };
/**
 * The columns of a product are sums of at most 18 products of limbs, and of nine products with the modulus. They fit in 64 bits
 * with a sign if the product of the bounds of the limbs is at most this.
 */
const productMax = 6;
/** Limbs are stored in 32 bits with a sign. */
const limbsMax = 7;
/** The last limb of a value within this bound is smaller than the others may be. */
const valueMax = 64;
/** The modulus times this is the number by which a Montgomery reduction divides. */
const montgomeryRatio = 168;

/**
 * Writes a function on elements of the quadratic extension in straight-line code. It follows the bounds of each element: it
 * reduces operands where a product could exceed 64 bits, and throws where a sum could exceed 32 bits, so that a formula that was
 * written is safe for all inputs.
 */
export class Formula {
  readonly #name: string;
  readonly #params: readonly string[];
  readonly #text: string[] = [];
  readonly #bounds = new Map<string, Bounds>();
  #used = 0;

  constructor(name: string, params: readonly string[]) {
    this.#name = name;
    this.#params = params;
  }

  /** A new place for an intermediate result. */
  temporary(): Place {
    if (this.#used === temporariesMax) throw new Error(`${this.#name} needs more than ${temporariesMax} temporaries.`);
    return { base: undefined, offset: temporaries + pairBytes * this.#used++ };
  }

  /** Three new places. */
  triple(): Triple {
    return [this.temporary(), this.temporary(), this.temporary()];
  }

  multiply(to: Place, a: Place, b: Place): void {
    while (this.#of(a).limbs * this.#of(b).limbs > productMax)
      this.reduce(this.#of(a).limbs > this.#of(b).limbs ? a : b);
    this.#call('multiply', to, a, b);
    this.#set(to, { limbs: 1, value: 0.51 + (2 * this.#of(a).value * this.#of(b).value) / montgomeryRatio });
  }

  square(to: Place, a: Place): void {
    if (this.#of(a).limbs ** 2 > productMax) this.reduce(a);
    this.#call('square', to, a);
    this.#set(to, { limbs: 1, value: 0.51 + (2 * this.#of(a).value ** 2) / montgomeryRatio });
  }

  /** `to = a b` with an element of the field. */
  scale(to: Place, a: Place, b: Place): void {
    if (this.#of(a).limbs > productMax) this.reduce(a);
    const half = (place: Place) => ({ ...place, offset: place.offset + elementBytes });
    this.#call('multiplyElements', to, a, b);
    this.#call('multiplyElements', half(to), half(a), b);
    this.#set(to, { limbs: 1, value: 0.51 + this.#of(a).value / montgomeryRatio });
  }

  add(to: Place, a: Place, b: Place): void {
    this.#sum('add', to, a, b);
  }

  subtract(to: Place, a: Place, b: Place): void {
    this.#sum('subtract', to, a, b);
  }

  /** `to = (9 + u) a + b` */
  twistAndAdd(to: Place, a: Place, b: Place): void {
    this.#call('twistAndAdd', to, a, b);
    this.#set(to, reduced);
  }

  /** `to` is `a` with the opposite imaginary part. */
  conjugate(to: Place, a: Place): void {
    this.#call('conjugate', to, a);
    this.#set(to, this.#of(a));
  }

  /** Reduces an element, unless it is within the bounds of elements that are kept. */
  reduce(place: Place): void {
    const { limbs, value } = this.#of(place);
    if (limbs <= kept.limbs && value <= kept.value) return;
    this.#call('reduce', place, place);
    this.#set(place, reduced);
  }

  /** Ends the function, after a reduction of those results that exceed the bounds of elements that are kept. */
  done(results: readonly Place[]): FunctionCode {
    for (const place of results) this.reduce(place);
    return assemble({
      name: this.#name,
      params: this.#params.map((param) => `${param}:i32`),
      results: [],
      functions: indices,
      text: this.#text.join(' '),
    });
  }

  #sum(name: 'add' | 'subtract', to: Place, a: Place, b: Place): void {
    const total = (key: keyof Bounds) => this.#of(a)[key] + this.#of(b)[key];
    if (total('limbs') > limbsMax || total('value') > valueMax)
      throw new Error(`${this.#name}: a sum exceeds its limbs. Reduce its terms before.`);
    this.#call(name, to, a, b);
    this.#set(to, { limbs: total('limbs'), value: total('value') });
  }

  #call(name: string, ...places: readonly Place[]): void {
    const push = ({ base, offset }: Place) =>
      base === undefined ? `i32.const ${offset}` : `get ${base} i32.const ${offset} i32.add`;
    this.#text.push(...places.map(push), `call ${name}`);
  }

  #of(place: Place): Bounds {
    if (place === zero) return { limbs: 0, value: 0 };
    return this.#bounds.get(keyOf(place)) ?? kept;
  }

  #set(place: Place, bounds: Bounds): void {
    this.#bounds.set(keyOf(place), bounds);
  }
}

function keyOf({ base, offset }: Place): string {
  return `${base}+${offset}`;
}
