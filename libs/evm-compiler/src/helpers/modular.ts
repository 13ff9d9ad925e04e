import { division } from '../layout.ts';
import { assemble } from '../wasm/assemble.ts';
import type { FunctionCode } from '../wasm/module.ts';
import { wideProduct, wideRest } from './wide.ts';

type Indices = Readonly<Record<string, number>>;

const limbs = [0, 1, 2, 3];
const params = (prefix: string) => limbs.map((limb) => `${prefix}${limb}:i64`);
const word = ['i64', 'i64', 'i64', 'i64'];
const get = (prefix: string) => limbs.map((limb) => `get ${prefix}${limb}`).join(' ');
const set = (prefix: string) => [3, 2, 1, 0].map((limb) => `set ${prefix}${limb}`).join(' ');
const zero = 'i64.const 0 i64.const 0 i64.const 0 i64.const 0';
const isZero = (prefix: string) =>
  `get ${prefix}0 get ${prefix}1 i64.or get ${prefix}2 i64.or get ${prefix}3 i64.or i64.eqz`;
/** Negates a word (two's complement). `c` is a local for the carry. */
const negate = (prefix: string) =>
  `i64.const 1 set c ${limbs
    .map(
      (limb) =>
        `get ${prefix}${limb} i64.const -1 i64.xor get c i64.add tee ${prefix}${limb} get c i64.lt_u i64.extend_i32_u set c`,
    )
    .join(' ')}`;
const isNegative = (prefix: string) => `get ${prefix}3 i64.const 0 i64.lt_s`;

/** SDIV and SMOD on absolute values. The remainder has the sign of the dividend. */
function signedDivision(name: 'sdiv' | 'smod', functions: Indices): FunctionCode {
  const isNegated = name === 'sdiv' ? 'get one get other i32.ne' : 'get one';
  return assemble({
    name,
    params: [...params('a'), ...params('b')],
    results: word,
    locals: ['c:i64', 'one:i32', 'other:i32'],
    functions,
    text: `
      ${isNegative('a')} tee one if ${negate('a')} end
      ${isNegative('b')} tee other if ${negate('b')} end
      ${get('a')} ${get('b')} call ${name === 'sdiv' ? 'div' : 'mod'} ${set('a')}
      ${isNegated} if ${negate('a')} end
      ${get('a')}`,
  });
}

/** Remainder of the dividend in memory, eight limbs, after division by `m`, which is not 0. */
function wideRemainder(functions: Indices): FunctionCode {
  const { dividend: u, divisor: v } = division;
  const place = (limb: number) => `i32.const ${u} i64.load ${8 * limb}`;
  const shifted = [7, 6, 5, 4, 3, 2, 1].map(
    (limb) =>
      `i32.const ${u} ${place(limb)} get s i64.shl ${place(limb - 1)} i64.const 64 get s i64.sub i64.shr_u i64.or i64.store ${8 * limb}`,
  );
  const shiftDividend = `
    get s i64.eqz
    if else
      i32.const ${u} ${place(7)} i64.const 64 get s i64.sub i64.shr_u i64.store 64
      ${shifted.join(' ')}
      i32.const ${u} ${place(0)} get s i64.shl i64.store 0
    end`;
  const digit = `get i i32.const 2 i32.shl i32.const ${u} i32.add i64.load32_u 0`;
  const store = (prefix: string) =>
    limbs.map((limb) => `i32.const ${v} get ${prefix}${limb} i64.store ${8 * limb}`).join(' ');
  return assemble({
    name: 'wideRemainder',
    params: params('m'),
    results: word,
    locals: ['n:i32', 'i:i32', 's:i64', 'r:i64'],
    functions,
    text: `
      i32.const ${u} i64.const 0 i64.store 64
      get m3 i64.clz tee s i64.const 32 i64.lt_u
      if
        ${shiftDividend}
        get s get s ${get('m')} call shl call wideRest call shr return
      end
      ${store('m')}
      call countDigits tee n i32.const 1 i32.eq
      if
        i32.const 16 set i
        loop
          get i i32.const 1 i32.sub set i
          get r i64.const 32 i64.shl ${digit} i64.or get m0 i64.rem_u set r
          get i br_if 0
        end
        get r i64.const 0 i64.const 0 i64.const 0 return
      end
      get n i32.const 2 i32.shl i32.const ${v - 4} i32.add i64.load32_u 0 i64.clz i64.const 32 i64.sub set s
      ${shiftDividend}
      get s ${get('m')} call shl ${set('m')}
      ${store('m')}
      get n i32.const 16 get n i32.sub call divideDigits
      get s ${limbs.map(place).join(' ')} call shr`,
  });
}

/** ADDMOD: the sum has 257 bits. In field arithmetic both operands are less than `m`, so that the sum is less than 2 `m`. */
function addmod(functions: Indices): FunctionCode {
  const { dividend: u } = division;
  const sum = limbs.map(
    (limb) => `
      get a${limb} get b${limb} i64.add tee t get a${limb} i64.lt_u i64.extend_i32_u
      get t get c i64.add tee a${limb} get c i64.lt_u i64.extend_i32_u i64.or set c`,
  );
  /** Sets `d` to the difference to `m`, and `c` to the borrow. */
  const lessModulus = (from: string) =>
    `i64.const 0 set c ${limbs
      .map(
        (limb) => `
          get ${from}${limb} get m${limb} i64.lt_u i64.extend_i32_u
          get ${from}${limb} get m${limb} i64.sub tee t get c i64.lt_u i64.extend_i32_u
          get t get c i64.sub set d${limb}
          i64.or set c`,
      )
      .join(' ')}`;
  return assemble({
    name: 'addmod',
    params: [...params('a'), ...params('b'), ...params('m')],
    results: word,
    locals: ['c:i64', 't:i64', 'less:i64', ...params('d')],
    functions,
    text: `
      ${isZero('m')} if ${zero} return end
      ${lessModulus('a')} get c set less
      ${lessModulus('b')} get c get less i64.and set less
      i64.const 0 set c ${sum.join('')}
      get less i64.eqz
      if else
        get c set less
        ${lessModulus('a')}
        get less i64.eqz get c i64.eqz i32.eqz i32.and if ${get('a')} return end
        ${get('d')} return
      end
      get c i64.eqz if ${get('a')} ${get('m')} call mod return end
      ${limbs.map((limb) => `i32.const ${u} get a${limb} i64.store ${8 * limb}`).join(' ')}
      i32.const ${u} i64.const 1 i64.store 32
      ${[5, 6, 7].map((limb) => `i32.const ${u} i64.const 0 i64.store ${8 * limb}`).join(' ')}
      ${get('m')} call wideRemainder`,
  });
}

/** MULMOD: the product has 512 bits. */
function mulmod(functions: Indices): FunctionCode {
  const load = (limb: number) => `i32.const ${division.dividend} i64.load ${8 * limb}`;
  return assemble({
    name: 'mulmod',
    params: [...params('a'), ...params('b'), ...params('m')],
    results: word,
    functions,
    text: `
      ${isZero('m')} if ${zero} return end
      ${get('a')} ${get('b')} call wideProduct
      ${load(4)} ${load(5)} i64.or ${load(6)} i64.or ${load(7)} i64.or i64.eqz
      if ${limbs.map(load).join(' ')} ${get('m')} call mod return end
      ${get('m')} call wideRemainder`,
  });
}

/** EXP: square and multiply, modulo 2^256. */
function exp(functions: Indices): FunctionCode {
  return assemble({
    name: 'exp',
    params: [...params('a'), ...params('e')],
    results: word,
    locals: params('r'),
    functions,
    text: `
      i64.const 1 set r0
      block
        loop
          ${isZero('e')} br_if 1
          get e0 i64.const 1 i64.and i64.eqz
          if else ${get('r')} ${get('a')} call multiply ${set('r')} end
          i64.const 1 ${get('e')} call shr ${set('e')}
          ${get('a')} ${get('a')} call multiply ${set('a')}
          br 0
        end
      end
      ${get('r')}`,
  });
}

/** Conditions of SIGNEXTEND and BYTE, whose first operand is the index of a byte. */
const isBelow = (prefix: string, bound: number) =>
  `get ${prefix}1 get ${prefix}2 i64.or get ${prefix}3 i64.or i64.eqz get ${prefix}0 i64.const ${bound} i64.lt_u i32.and`;
const bitsAbove = (prefix: string) => `i64.const 248 get ${prefix}0 i64.const 3 i64.shl i64.sub`;

function signextend(functions: Indices): FunctionCode {
  return assemble({
    name: 'signextend',
    params: [...params('k'), ...params('x')],
    results: word,
    functions,
    text: `
      ${isBelow('k', 31)}
      if
        ${bitsAbove('k')} ${bitsAbove('k')} ${get('x')} call shl call sar return
      end
      ${get('x')}`,
  });
}

function byte(functions: Indices): FunctionCode {
  return assemble({
    name: 'byte',
    params: [...params('k'), ...params('x')],
    results: word,
    functions,
    text: `
      ${isBelow('k', 32)}
      if
        ${bitsAbove('k')} ${get('x')} call shr ${set('x')}
        get x0 i64.const 255 i64.and i64.const 0 i64.const 0 i64.const 0 return
      end
      ${zero}`,
  });
}

/** Helpers that call multiplication, division and shifts. */
export function modular(functions: Indices): FunctionCode[] {
  return [
    wideProduct(),
    wideRest(),
    wideRemainder(functions),
    signedDivision('sdiv', functions),
    signedDivision('smod', functions),
    addmod(functions),
    mulmod(functions),
    exp(functions),
    signextend(functions),
    byte(functions),
  ];
}
