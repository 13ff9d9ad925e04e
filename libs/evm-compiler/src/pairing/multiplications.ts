import { assemble } from '../wasm/assemble.ts';
import { elementBytes, limbBits, limbCount, limbsFromBigint, modulus } from './field.ts';

const limbs = Array.from({ length: limbCount }, (_, index) => index);
const modulusLimbs = limbsFromBigint(modulus);
/** Bits of a 64-bit integer above a limb. */
const unused = 64 - limbBits;
/** The low limb of an integer, between -2**28 and 2**28. */
const lowLimb = `i64.const ${unused} i64.shl i64.const ${unused} i64.shr_s`;

/** Minus one over the modulus, modulo one limb (Newton's iteration). */
const inverse = limbs.reduce(
  (found) => BigInt.asIntN(limbBits, found * (2n + modulus * found)),
  BigInt.asIntN(limbBits, -modulus),
);

interface Column {
  /** Local that carries the sum from one column to the next. */
  readonly sum: string;
  /** Prefix of the locals of the multiples of the modulus that clear the low columns. */
  readonly multiple: string;
  /** Offset of the result. */
  readonly offset: number;
  /** Pushes a column of the product. */
  readonly push: (column: number) => string;
}

/**
 * Montgomery reduction of products, column by column. A column is a sum of 64 bits: it needs no carry, since limbs have 29 bits and
 * a sign. Products that are computed together share terms.
 */
function reduced(products: readonly Column[]): string {
  const text: string[] = [];
  for (let column = 0; column < 2 * limbCount; column++)
    for (const { sum, multiple, offset, push } of products) {
      const isLast = column === 2 * limbCount - 1;
      text.push(`get ${sum}`, isLast ? '' : `${push(column)} i64.add`);
      for (let at = Math.max(0, column - limbCount + 1); at < Math.min(column, limbCount); at++)
        text.push(`get ${multiple}${at} i64.const ${modulusLimbs[column - at]} i64.mul i64.add`);
      const shifted = `i64.const ${limbBits} i64.shr_s set ${sum}`;
      const at = offset + 4 * (column - limbCount);
      if (column < limbCount)
        text.push(
          `tee ${sum} get ${sum} i64.const ${inverse} i64.mul ${lowLimb} tee ${multiple}${column}`,
          `i64.const ${modulusLimbs[0]} i64.mul i64.add ${shifted}`,
        );
      else if (isLast) text.push(`set ${sum} get to get ${sum} i64.store32 ${at}`);
      else
        text.push(
          `set ${sum} get to get ${sum} ${lowLimb} tee low i64.store32 ${at}`,
          `get ${sum} get low i64.sub ${shifted}`,
        );
    }
  return text.join(' ');
}

/** Pushes a column of the product of two elements in locals. */
const columnOf = (a: string, b: string) => (column: number) =>
  limbs
    .filter((at) => column - at >= 0 && column - at < limbCount)
    .map((at, index) => `get ${a}${at} get ${b}${column - at} i64.mul ${index > 0 ? 'i64.add' : ''}`)
    .join(' ');

const load = (from: string, name: string, offset = 0) =>
  limbs.map((at) => `get ${from} i64.load32_s ${offset + 4 * at} set ${name}${at}`).join(' ');
const combine = (name: string, a: string, operation: 'add' | 'sub', b: string) =>
  limbs.map((at) => `get ${a}${at} get ${b}${at} i64.${operation} set ${name}${at}`).join(' ');
const elements = (...names: readonly string[]) => names.flatMap((name) => limbs.map((at) => `${name}${at}:i64`));

/** `to = a b` in the field. */
export const multiplyElements = assemble({
  name: 'multiplyElements',
  params: ['to:i32', 'a:i32', 'b:i32'],
  results: [],
  locals: [...elements('a', 'b', 'm'), 'sum:i64', 'low:i64'],
  text: [
    load('a', 'a'),
    load('b', 'b'),
    reduced([{ sum: 'sum', multiple: 'm', offset: 0, push: columnOf('a', 'b') }]),
  ].join(' '),
});

/** `to = a b` in the quadratic extension, by Karatsuba's method: three products and two reductions. */
export const multiply = assemble({
  name: 'multiply',
  params: ['to:i32', 'a:i32', 'b:i32'],
  results: [],
  locals: [
    ...elements('r', 'i', 'rr', 'ii', 's', 't', 'm', 'n'),
    ...['real', 'imaginary', 'low', 'first', 'second'].map((name) => `${name}:i64`),
  ],
  text: [
    load('a', 'r'),
    load('a', 'i', elementBytes),
    load('b', 'rr'),
    load('b', 'ii', elementBytes),
    combine('s', 'r', 'add', 'i'),
    combine('t', 'rr', 'add', 'ii'),
    reduced([
      {
        sum: 'real',
        multiple: 'm',
        offset: 0,
        push: (column) => `${columnOf('r', 'rr')(column)} tee first ${columnOf('i', 'ii')(column)} tee second i64.sub`,
      },
      {
        sum: 'imaginary',
        multiple: 'n',
        offset: elementBytes,
        push: (column) => `${columnOf('s', 't')(column)} get first i64.sub get second i64.sub`,
      },
    ]),
  ].join(' '),
});

/** `to = a a` in the quadratic extension: `(r + i) (r - i)` and `2 r i`. */
export const square = assemble({
  name: 'square',
  params: ['to:i32', 'a:i32'],
  results: [],
  locals: [...elements('r', 'i', 's', 't', 'm', 'n'), 'real:i64', 'imaginary:i64', 'low:i64'],
  text: [
    load('a', 'r'),
    load('a', 'i', elementBytes),
    combine('s', 'r', 'add', 'i'),
    combine('t', 'r', 'sub', 'i'),
    combine('r', 'r', 'add', 'r'),
    reduced([
      { sum: 'real', multiple: 'm', offset: 0, push: columnOf('s', 't') },
      { sum: 'imaginary', multiple: 'n', offset: elementBytes, push: columnOf('r', 'i') },
    ]),
  ].join(' '),
});
