import { assemble } from '../wasm/assemble.ts';
import { elementBytes, limbBits, limbCount, limbsFromBigint, modulus } from './field.ts';

/** Offsets of the vectors of an element of the quadratic extension. */
const vectors = Array.from({ length: (2 * elementBytes) / 16 }, (_, index) => 16 * index);
const limbs = Array.from({ length: limbCount }, (_, index) => index);
const modulusLimbs = limbsFromBigint(modulus);

const limbByLimb = (name: string, operation: 'add' | 'sub') =>
  assemble({
    name,
    params: ['to:i32', 'a:i32', 'b:i32'],
    results: [],
    text: vectors
      .map((at) => `get to get a v128.load ${at} get b v128.load ${at} i32x4.${operation} v128.store ${at}`)
      .join(' '),
  });

/** `to = a + b` in the quadratic extension, without carries. */
export const add = limbByLimb('add', 'add');
/** `to = a - b` in the quadratic extension, without carries. */
export const subtract = limbByLimb('subtract', 'sub');

/** `to` is `a` with the opposite imaginary part. The memory starts with zeros. */
export const conjugate = assemble({
  name: 'conjugate',
  params: ['to:i32', 'a:i32'],
  results: [],
  text: vectors
    .map((at) =>
      at < elementBytes
        ? `get to get a v128.load ${at} v128.store ${at}`
        : `get to i32.const 0 v128.load 0 get a v128.load ${at} i32x4.sub v128.store ${at}`,
    )
    .join(' '),
});

/** The quotient by the modulus is estimated from the last limb, with a reciprocal in units of 2**-40. */
const reciprocalBits = 40n;
const reciprocal = (1n << reciprocalBits) / (modulus >> BigInt(limbBits * (limbCount - 1)));
const lowLimb = `i64.const ${64 - limbBits} i64.shl i64.const ${64 - limbBits} i64.shr_s`;

/** Carries the limbs in the locals `name`, and subtracts the nearest multiple of the modulus. */
function carried(name: string, offset: number): string {
  const quotient = `get ${name}${limbCount - 1} i64.const ${reciprocal} i64.mul i64.const ${1n << (reciprocalBits - 1n)} i64.add i64.const ${reciprocalBits} i64.shr_s set quotient i64.const 0 set carry`;
  const carry = limbs.map((limb) => {
    const sum = `get ${name}${limb} get quotient i64.const ${modulusLimbs[limb]} i64.mul i64.sub get carry i64.add set carry`;
    const store = `i64.store32 ${offset + 4 * limb}`;
    if (limb === limbCount - 1) return `${sum} get to get carry ${store}`;
    return `${sum} get to get carry ${lowLimb} tee low ${store} get carry get low i64.sub i64.const ${limbBits} i64.shr_s set carry`;
  });
  return [quotient, ...carry].join(' ');
}

const locals = [
  ...['real', 'imaginary'].flatMap((name) => limbs.map((limb) => `${name}${limb}:i64`)),
  ...['quotient', 'carry', 'low', 'r', 'i'].map((name) => `${name}:i64`),
];
const load = (from: string, limb: number, offset = 0) => `get ${from} i64.load32_s ${offset + 4 * limb}`;
const bothCarried = `${carried('real', 0)} ${carried('imaginary', elementBytes)}`;

/** `to = a`, with limbs below 2**28 and a value of about half of the modulus at most. */
export const reduce = assemble({
  name: 'reduce',
  params: ['to:i32', 'a:i32'],
  results: [],
  locals,
  text: `${limbs.map((limb) => `${load('a', limb)} set real${limb} ${load('a', limb, elementBytes)} set imaginary${limb}`).join(' ')} ${bothCarried}`,
});

/** `to = (9 + u) a + b`, reduced. The factor is the one that defines the higher extensions. */
export const twistAndAdd = assemble({
  name: 'twistAndAdd',
  params: ['to:i32', 'a:i32', 'b:i32'],
  results: [],
  locals,
  text: `${limbs
    .map(
      (limb) => `
        ${load('a', limb)} set r ${load('a', limb, elementBytes)} set i
        get r i64.const 9 i64.mul get i i64.sub ${load('b', limb)} i64.add set real${limb}
        get i i64.const 9 i64.mul get r i64.add ${load('b', limb, elementBytes)} i64.add set imaginary${limb}`,
    )
    .join(' ')} ${bothCarried}`,
});
