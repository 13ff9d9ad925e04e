import { division } from '../layout.ts';
import { assemble } from '../wasm/assemble.ts';
import type { FunctionCode } from '../wasm/module.ts';

const eight = [0, 1, 2, 3, 4, 5, 6, 7];
const mask = 'i64.const 0xffffffff i64.and';
const { dividend } = division;
const word = ['i64', 'i64', 'i64', 'i64'];
const params = (prefix: string) => [0, 1, 2, 3].map((limb) => `${prefix}${limb}:i64`);
const locals = (prefix: string, count = 8) => Array.from({ length: count }, (_, digit) => `${prefix}${digit}:i64`);

/** Splits limbs into digits of 32 bits, each in an i64 local. */
const split = (from: string, to: string) =>
  [0, 1, 2, 3]
    .map(
      (limb) =>
        `get ${from}${limb} ${mask} set ${to}${2 * limb} get ${from}${limb} i64.const 32 i64.shr_u set ${to}${2 * limb + 1}`,
    )
    .join(' ');

const joined = (prefix: string) =>
  [0, 2, 4, 6].map((digit) => `get ${prefix}${digit} get ${prefix}${digit + 1} i64.const 32 i64.shl i64.or`).join(' ');

/** Writes the 512-bit product of two words to the memory of the dividend, row by row. No sum of a row exceeds 64 bits. */
export function wideProduct(): FunctionCode {
  const rows = eight.map((i) => {
    const products = eight.map((j) => {
      const before = i === 0 ? '' : `get p${i + j} i64.add`;
      const carried = j === 0 ? '' : 'get c i64.add';
      return `get x${i} get y${j} i64.mul ${before} ${carried} tee t ${mask} set p${i + j} get t i64.const 32 i64.shr_u set c`;
    });
    return `${products.join(' ')} get c set p${i + 8}`;
  });
  const stored = eight.map(
    (limb) =>
      `i32.const ${dividend} get p${2 * limb} get p${2 * limb + 1} i64.const 32 i64.shl i64.or i64.store ${8 * limb}`,
  );
  return assemble({
    name: 'wideProduct',
    params: [...params('a'), ...params('b')],
    results: [],
    locals: [...locals('x'), ...locals('y'), ...locals('p', 16), 't:i64', 'c:i64'],
    text: `${split('a', 'x')} ${split('b', 'y')} ${rows.join(' ')} ${stored.join(' ')}`,
  });
}

/**
 * Remainder of the 17 digits in the memory of the dividend, by algorithm D. The highest bit of the divisor is set. Digits
 * of divisor and remainder are in locals.
 */
export function wideRest(): FunctionCode {
  const load = (digit: number) => `i32.const ${dividend} i64.load32_u ${4 * digit}`;
  const subtract = eight.map(
    (i) => `
      get q get v${i} i64.mul tee t i64.const 32 i64.shr_u set n
      get r${i} get k i64.sub get t ${mask} i64.sub tee t ${mask} set r${i}
      get n get t i64.const 32 i64.shr_s i64.sub set k`,
  );
  const addBack = eight.map(
    (i) => `get r${i} get v${i} i64.add get k i64.add tee t ${mask} set r${i} get t i64.const 32 i64.shr_u set k`,
  );
  return assemble({
    name: 'wideRest',
    params: params('m'),
    results: word,
    locals: [...locals('v'), ...locals('r'), 'top:i64', 'q:i64', 'rest:i64', 't:i64', 'n:i64', 'k:i64', 'at:i32'],
    text: `
      ${split('m', 'v')}
      ${eight.map((digit) => `${load(digit + 9)} set r${digit}`).join(' ')}
      i32.const ${dividend + 32} set at
      loop
        get r7 set top ${[7, 6, 5, 4, 3, 2, 1].map((digit) => `get r${digit - 1} set r${digit}`).join(' ')}
        get at i64.load32_u 0 set r0
        get top i64.const 32 i64.shl get r7 i64.or tee t get v7 i64.div_u set q
        get t get q get v7 i64.mul i64.sub set rest
        block loop
          get q i64.const 0xffffffff i64.gt_u
          if else
            get q get v6 i64.mul get rest i64.const 32 i64.shl get r6 i64.or i64.gt_u i32.eqz br_if 2
          end
          get q i64.const 1 i64.sub set q
          get rest get v7 i64.add tee rest i64.const 0xffffffff i64.gt_u br_if 1
          br 0
        end end
        i64.const 0 set k
        ${subtract.join(' ')}
        get top get k i64.sub i64.const 0 i64.lt_s
        if i64.const 0 set k ${addBack.join(' ')} end
        get at i32.const 4 i32.sub tee at i32.const ${dividend} i32.ge_u br_if 0
      end
      ${joined('r')}`,
  });
}
