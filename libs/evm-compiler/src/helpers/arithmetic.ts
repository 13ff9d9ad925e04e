import { division } from '../layout.ts';
import { assemble } from '../wasm/assemble.ts';
import type { FunctionCode } from '../wasm/module.ts';

const a = ['a0:i64', 'a1:i64', 'a2:i64', 'a3:i64'];
const b = ['b0:i64', 'b1:i64', 'b2:i64', 'b3:i64'];
const word = ['i64', 'i64', 'i64', 'i64'];

/** High half of a 64-bit by 64-bit product, from four products of halves. */
const highProduct = assemble({
  name: 'highProduct',
  params: ['x:i64', 'y:i64'],
  results: ['i64'],
  locals: ['xl:i64', 'xh:i64', 'yl:i64', 'yh:i64', 'm:i64', 'n:i64'],
  text: `
    get x i64.const 0xffffffff i64.and set xl get x i64.const 32 i64.shr_u set xh
    get y i64.const 0xffffffff i64.and set yl get y i64.const 32 i64.shr_u set yh
    get xl get yl i64.mul i64.const 32 i64.shr_u get xh get yl i64.mul i64.add set m
    get xl get yh i64.mul get m i64.const 0xffffffff i64.and i64.add set n
    get xh get yh i64.mul get m i64.const 32 i64.shr_u i64.add get n i64.const 32 i64.shr_u i64.add`,
});

/** MUL: the low 256 bits of the product, column by column with carries. */
function multiply(functions: Readonly<Record<string, number>>): FunctionCode {
  const columns: string[] = [];
  const add = (to: number, value: string) => {
    // t = value; r[to] += t; carry = r[to] < t; r[to+1] += carry, and on.
    columns.push(`${value} set t get r${to} get t i64.add tee r${to} get t i64.lt_u i64.extend_i32_u set c`);
    for (let next = to + 1; next < 4; next++) {
      columns.push(`get r${next} get c i64.add tee r${next} get c i64.lt_u i64.extend_i32_u set c`);
    }
  };
  for (let i = 0; i < 4; i++) {
    for (let j = 0; i + j < 4; j++) {
      add(i + j, `get a${i} get b${j} i64.mul`);
      if (i + j < 3) add(i + j + 1, `get a${i} get b${j} call highProduct`);
    }
  }
  return assemble({
    name: 'multiply',
    params: [...a, ...b],
    results: word,
    locals: ['r0:i64', 'r1:i64', 'r2:i64', 'r3:i64', 't:i64', 'c:i64'],
    functions,
    text: `
      get a1 get a2 i64.or get a3 i64.or get b1 i64.or get b2 i64.or get b3 i64.or i64.eqz
      if
        get a0 get b0 i64.mul get a0 get b0 call highProduct i64.const 0 i64.const 0 return
      end
      ${columns.join('\n')}
      get r0 get r1 get r2 get r3`,
  });
}

/**
 * DIV and MOD. Operands of 64 bits take one instruction, small divisors steps of 32 bits. Other operands take digits of 32 bits in
 * memory (Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D).
 */
function divide(name: 'div' | 'mod', functions: Readonly<Record<string, number>>): FunctionCode {
  const steps = [3, 2, 1, 0].map(
    (n) => `
      get r i64.const 32 i64.shl get a${n} i64.const 32 i64.shr_u i64.or tee t get b0 i64.div_u set q
      get t get q get b0 i64.mul i64.sub set r
      get r i64.const 32 i64.shl get a${n} i64.const 0xffffffff i64.and i64.or tee t get b0 i64.div_u tee s
      get q i64.const 32 i64.shl i64.or set a${n}
      get t get s get b0 i64.mul i64.sub set r`,
  );
  const zero = 'i64.const 0';
  return assemble({
    name,
    params: [...a, ...b],
    results: word,
    locals: ['r:i64', 's:i64', 't:i64', 'q:i64'],
    functions,
    text: `
      get b1 get b2 i64.or get b3 i64.or i64.eqz
      if
        get b0 i64.eqz if ${zero} ${zero} ${zero} ${zero} return end
        get a1 get a2 i64.or get a3 i64.or i64.eqz
        if get a0 get b0 ${name === 'div' ? 'i64.div_u' : 'i64.rem_u'} ${zero} ${zero} ${zero} return end
        get b0 i64.const 32 i64.shr_u i64.eqz
        if
          ${steps.join('\n')}
          ${name === 'div' ? 'get a0 get a1 get a2 get a3' : `get r ${zero} ${zero} ${zero}`} return
        end
      end
      get a0 get a1 get a2 get a3 get b0 get b1 get b2 get b3 i32.const ${name === 'div' ? 0 : 1} call longDivision`,
  });
}

/** Address of a digit. */
const at = (base: number, index: string) => `${index} i32.const 2 i32.shl i32.const ${base} i32.add`;
const store = (base: number, names: readonly string[]) =>
  names.map((name, index) => `i32.const ${base} get ${name} i64.store ${8 * index}`).join(' ');
const load = (base: number) => [0, 1, 2, 3].map((index) => `i32.const ${base} i64.load ${8 * index}`).join(' ');
const into = (prefix: string) => [3, 2, 1, 0].map((index) => `set ${prefix}${index}`).join(' ');

/** Divides 256 bits by a divisor of two digits or more. Returns the quotient, or the remainder if `wantsRest`. */
function longDivision(functions: Readonly<Record<string, number>>): FunctionCode {
  const { dividend: u, divisor: v, quotient } = division;
  return assemble({
    name: 'longDivision',
    params: [...a, ...b, 'wantsRest:i32'],
    results: word,
    locals: ['n:i32', 'd:i32', 's:i64'],
    functions,
    text: `
      ${store(v, ['b0', 'b1', 'b2', 'b3'])}
      call countDigits tee n ${lastDigit} i64.clz i64.const 32 i64.sub set s
      i32.const ${u} i64.const 0 i64.store 32
      get s i64.eqz if else i32.const ${u} get a3 i64.const 64 get s i64.sub i64.shr_u i64.store 32 end
      get s get a0 get a1 get a2 get a3 call shl ${into('a')}
      get s get b0 get b1 get b2 get b3 call shl ${into('b')}
      ${store(u, ['a0', 'a1', 'a2', 'a3'])}
      ${store(v, ['b0', 'b1', 'b2', 'b3'])}
      ${[0, 1, 2, 3].map((limb) => `i32.const ${quotient} i64.const 0 i64.store ${8 * limb}`).join(' ')}
      i32.const 9 set d
      loop get d i32.const 1 i32.sub tee d i32.eqz if else ${at(u, 'get d')} i64.load32_u 0 i64.eqz br_if 1 end end
      get d get d i32.const 8 i32.lt_u i32.add set d
      get n get d i32.le_u
      if get n get d get n i32.sub call divideDigits end
      get wantsRest i32.eqz
      if ${load(quotient)} return end
      get s ${load(u)} call shr`,
  });
}

/** Replaces the count of digits on the stack by the highest digit of the divisor. */
const lastDigit = `i32.const 2 i32.shl i32.const ${division.divisor - 4} i32.add i64.load32_u 0`;

/** Counts the digits of the divisor in memory, which is not 0. */
const countDigits = assemble({
  name: 'countDigits',
  params: [],
  results: ['i32'],
  locals: ['n:i32'],
  text: `
    i32.const 8 set n
    loop get n i32.const 1 i32.sub set n ${at(division.divisor, 'get n')} i64.load32_u 0 i64.eqz br_if 0 end
    get n i32.const 1 i32.add`,
});

/**
 * Algorithm D on digits in memory. The divisor has `n` digits, at least two, and its highest bit is set. The dividend has
 * `j` + `n` + 1 digits. The remainder replaces the dividend.
 */
function divideDigits(): FunctionCode {
  const { dividend: u, divisor: v, quotient } = division;
  const mask = 'i64.const 0xffffffff i64.and';
  return assemble({
    name: 'divideDigits',
    params: ['n:i32', 'j:i32'],
    results: [],
    locals: ['i:i32', ...['high', 'next', 'q', 'r', 't', 'carry', 'borrow'].map((name) => `${name}:i64`)],
    text: `
      ${at(v, 'get n i32.const 1 i32.sub')} i64.load32_u 0 set high
      ${at(v, 'get n i32.const 2 i32.sub')} i64.load32_u 0 set next
      loop
        ${at(u, 'get j get n i32.add')} i64.load32_u 0 i64.const 32 i64.shl
        ${at(u, 'get j get n i32.add i32.const 1 i32.sub')} i64.load32_u 0 i64.or tee t
        get high i64.div_u set q
        get t get q get high i64.mul i64.sub set r
        block loop
          get q i64.const 0xffffffff i64.gt_u
          if else
            get q get next i64.mul
            get r i64.const 32 i64.shl ${at(u, 'get j get n i32.add i32.const 2 i32.sub')} i64.load32_u 0 i64.or
            i64.gt_u i32.eqz br_if 2
          end
          get q i64.const 1 i64.sub set q
          get r get high i64.add tee r i64.const 0xffffffff i64.gt_u br_if 1
          br 0
        end end
        i64.const 0 set carry i64.const 0 set borrow i32.const 0 set i
        loop
          get q ${at(v, 'get i')} i64.load32_u 0 i64.mul get carry i64.add tee t i64.const 32 i64.shr_u set carry
          ${at(u, 'get i get j i32.add')} i64.load32_u 0 get t ${mask} i64.sub get borrow i64.sub set t
          ${at(u, 'get i get j i32.add')} get t i64.store32 0
          get t i64.const 63 i64.shr_u set borrow
          get i i32.const 1 i32.add tee i get n i32.lt_u br_if 0
        end
        ${at(u, 'get j get n i32.add')} i64.load32_u 0 get carry i64.sub get borrow i64.sub set t
        ${at(u, 'get j get n i32.add')} get t i64.store32 0
        get t i64.const 0 i64.lt_s
        if
          get q i64.const 1 i64.sub set q
          i64.const 0 set carry i32.const 0 set i
          loop
            ${at(u, 'get i get j i32.add')} i64.load32_u 0 ${at(v, 'get i')} i64.load32_u 0 i64.add get carry i64.add set t
            ${at(u, 'get i get j i32.add')} get t i64.store32 0
            get t i64.const 32 i64.shr_u set carry
            get i i32.const 1 i32.add tee i get n i32.lt_u br_if 0
          end
          ${at(u, 'get j get n i32.add')} ${at(u, 'get j get n i32.add')} i64.load32_u 0 get carry i64.add i64.store32 0
        end
        ${at(quotient, 'get j')} get q i64.store32 0
        get j i32.const 1 i32.sub tee j i32.const 0 i32.ge_s br_if 0
      end`,
  });
}

const limbs = ['v0:i64', 'v1:i64', 'v2:i64', 'v3:i64'];

/** SHL, SHR and SAR by up to 256: whole limbs first, then bits. */
function shift(name: 'shl' | 'shr' | 'sar'): FunctionCode {
  const isLeft = name === 'shl';
  const fill = name === 'sar' ? 'get v3 i64.const 63 i64.shr_s' : 'i64.const 0';
  const order = isLeft ? [3, 2, 1, 0] : [0, 1, 2, 3];
  const step = isLeft ? -1 : 1;
  const move = order.map((to) => {
    const from = to + step;
    return `${from < 0 || from > 3 ? 'get fill' : `get v${from}`} set v${to}`;
  });
  const down = name === 'sar' ? 'i64.shr_s' : 'i64.shr_u';
  const bits = isLeft
    ? [3, 2, 1].map(
        (n) => `get v${n} get s i64.shl get v${n - 1} i64.const 64 get s i64.sub i64.shr_u i64.or set v${n}`,
      )
    : [0, 1, 2].map(
        (n) => `get v${n} get s i64.shr_u get v${n + 1} i64.const 64 get s i64.sub i64.shl i64.or set v${n}`,
      );
  const last = isLeft ? 'get v0 get s i64.shl set v0' : `get v3 get s ${down} set v3`;
  return assemble({
    name,
    params: ['s:i64', ...limbs],
    results: word,
    locals: ['fill:i64'],
    text: `
      ${fill} set fill
      block loop get s i64.const 64 i64.lt_u br_if 1 get s i64.const 64 i64.sub set s ${move.join(' ')} br 0 end end
      get s i64.eqz if else ${bits.join(' ')} ${last} end
      get v0 get v1 get v2 get v3`,
  });
}

/** Types and snippets that the helpers share. */
export function arithmetic(functions: Readonly<Record<string, number>>): FunctionCode[] {
  return [
    highProduct,
    multiply(functions),
    divide('div', functions),
    divide('mod', functions),
    countDigits,
    divideDigits(),
    longDivision(functions),
    shift('shl'),
    shift('shr'),
    shift('sar'),
  ];
}
