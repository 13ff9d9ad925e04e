import { describe, expect, test } from '@jest/globals';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { codeBytesMax, compile, wasmBytesMax } from './compile.ts';
import { exits } from './exits.ts';
import { figures, refusedWord, runCode, wordBytes } from './machine.fixture.ts';

const bytes = (...parts: readonly (number | readonly number[])[]) => Uint8Array.from(parts.flat());
const signed = (word: bigint) => BigInt.asIntN(256, word);
const modulus = 1n << 256n;
const power = (base: bigint, exponent: bigint) => {
  let result = 1n;
  for (let bit = 255n; bit >= 0n; bit--) result = (result * result * ((exponent >> bit) & 1n ? base : 1n)) % modulus;
  return result;
};

/** What opcodes come to, the top of the stack first (Yellow Paper, appendix H.2). */
const meanings: readonly (readonly [string, number, number, (a: bigint, b: bigint, c: bigint) => bigint])[] = [
  ['ADD', 0x01, 2, (a, b) => a + b],
  ['MUL', 0x02, 2, (a, b) => a * b],
  ['SUB', 0x03, 2, (a, b) => a - b],
  ['DIV', 0x04, 2, (a, b) => (b === 0n ? 0n : a / b)],
  ['SDIV', 0x05, 2, (a, b) => (b === 0n ? 0n : signed(a) / signed(b))],
  ['MOD', 0x06, 2, (a, b) => (b === 0n ? 0n : a % b)],
  ['SMOD', 0x07, 2, (a, b) => (b === 0n ? 0n : signed(a) % signed(b))],
  ['ADDMOD', 0x08, 3, (a, b, c) => (c === 0n ? 0n : (a + b) % c)],
  ['MULMOD', 0x09, 3, (a, b, c) => (c === 0n ? 0n : (a * b) % c)],
  ['EXP', 0x0a, 2, power],
  ['SIGNEXTEND', 0x0b, 2, (a, b) => (a > 30n ? b : BigInt.asIntN(8 * (Number(a) + 1), b))],
  ['LT', 0x10, 2, (a, b) => (a < b ? 1n : 0n)],
  ['GT', 0x11, 2, (a, b) => (a > b ? 1n : 0n)],
  ['SLT', 0x12, 2, (a, b) => (signed(a) < signed(b) ? 1n : 0n)],
  ['SGT', 0x13, 2, (a, b) => (signed(a) > signed(b) ? 1n : 0n)],
  ['EQ', 0x14, 2, (a, b) => (a === b ? 1n : 0n)],
  ['ISZERO', 0x15, 1, (a) => (a === 0n ? 1n : 0n)],
  ['AND', 0x16, 2, (a, b) => a & b],
  ['OR', 0x17, 2, (a, b) => a | b],
  ['XOR', 0x18, 2, (a, b) => a ^ b],
  ['NOT', 0x19, 1, (a) => ~a],
  ['BYTE', 0x1a, 2, (a, b) => (a > 31n ? 0n : (b >> (248n - 8n * a)) & 0xffn)],
  ['SHL', 0x1b, 2, (a, b) => (a > 255n ? 0n : b << a)],
  ['SHR', 0x1c, 2, (a, b) => (a > 255n ? 0n : b >> a)],
  ['SAR', 0x1d, 2, (a, b) => signed(b) >> (a > 255n ? 255n : a)],
  ['CLZ', 0x1e, 1, (a) => BigInt(256 - (a === 0n ? 0 : a.toString(2).length))],
];

/** Words at which something changes, and any others. */
const word = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    2n,
    31n,
    32n,
    63n,
    64n,
    65n,
    127n,
    128n,
    192n,
    255n,
    256n,
    257n,
    2n ** 32n,
    2n ** 64n - 1n,
    2n ** 64n,
  ),
  fc.constantFrom(2n ** 128n, 2n ** 255n, 2n ** 256n - 1n, 2n ** 256n - 2n, 2n ** 192n + 5n),
  fc.bigInt(0n, 2n ** 64n),
  fc.bigInt(0n, 2n ** 256n - 1n),
  // Digits that make the guesses of a long division too large.
  fc
    .array(fc.constantFrom(0n, 1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 2n, 2n ** 32n - 1n), {
      minLength: 1,
      maxLength: 8,
    })
    .map((digits) => digits.reduce((sum, digit) => (sum << 32n) | digit, 0n)),
);

describe('arithmetic', () => {
  test.each(meanings)('%s of what is known as it runs, and of constants', (_, opcode, count, meaning) => {
    fc.assert(
      fc.property(fc.tuple(word, word, word), (operands) => {
        const [a, b, c] = operands;
        const used = operands.slice(0, count);
        const expected = BigInt.asUintN(256, meaning(a, b, c));
        const data = bytes(...used.map(wordBytes));
        const fromData = [...used.keys()].reverse().flatMap((index) => [0x60, 32 * index, 0x35]);
        expect(runCode(bytes(fromData, opcode), { data }).stack).toEqual([expected]);
        const constants = [...used].reverse().flatMap((operand) => [0x7f, ...wordBytes(operand)]);
        expect(runCode(bytes(constants, opcode)).stack).toEqual([expected]);
      }),
      { numRuns: 60 },
    );
  });

  test('DUP and SWAP move words however they are known', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0x80, max: 0x9f }), { maxLength: 40 }), (moves) => {
        const model = Array.from({ length: 17 }, (_, index) => BigInt(index + 1));
        const pushes = model.flatMap((value, index) =>
          index % 2 ? [0x60, Number(value)] : [0x61, (32 * index) >> 8, (32 * index) & 0xff, 0x35],
        );
        const data = bytes(...model.map(wordBytes));
        for (const move of moves) {
          if (move < 0x90) model.push(model.at(-(move - 0x7f)) as bigint);
          else {
            const other = model.length - 1 - (move - 0x8f);
            const top = model.length - 1;
            [model[top], model[other]] = [model[other] as bigint, model[top] as bigint];
          }
        }
        // In two blocks: what the first leaves on the stack in memory is what the second finds there.
        const half = Math.floor(moves.length / 2);
        const code = bytes(pushes, moves.slice(0, half), 0x5b, moves.slice(half));
        expect(runCode(code, { data }).stack).toEqual(model);
      }),
    );
  });
});

describe('memory', () => {
  test('KECCAK256 is that of noble, for every length around a block', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40 }), word, (length, offset, value) => {
        const size = [length >> 8, length & 0xff];
        const fill = [0, 64, 128, 200, 280].flatMap((at) => [
          0x7f,
          ...wordBytes(value),
          0x61,
          at >> 8,
          at & 0xff,
          0x52,
        ]);
        const { stack, memory } = runCode(bytes(fill, 0x61, size, 0x60, offset, 0x20));
        const expected = keccak_256(memory.slice(offset, offset + length));
        expect(stack).toEqual([BigInt(`0x${Buffer.from(expected).toString('hex')}`)]);
      }),
    );
  });

  test('words and bytes are written big-endian, and new memory is zeros', () => {
    const code = bytes(
      0x7f,
      wordBytes(2n ** 255n + 7n),
      0x60,
      5,
      0x52,
      0x61,
      [0x12, 0x34],
      0x60,
      64,
      0x53,
      0x60,
      32,
      0x51,
    );
    const { memory, stack } = runCode(code);
    expect(memory.length).toBe(96);
    expect([...memory.slice(5, 37)]).toEqual(wordBytes(2n ** 255n + 7n));
    expect(memory[64]).toBe(0x34);
    expect(stack).toEqual([7n << 216n]);
  });

  test('what no gas counts is told from what there is not gas for', () => {
    const load = (at: bigint) => runCode(bytes(0x7f, wordBytes(at), 0x51)).exit;
    const loadData = (at: bigint) => runCode(bytes(0x60, 0, 0x35, 0x51), { data: bytes(wordBytes(at)) }).exit;
    for (const place of [load, loadData]) {
      expect(place(2n ** 64n)).toBe(exits.gasOverflow);
      expect(place(2n ** 64n - 40n)).toBe(exits.priceOverflow);
      expect(place(0x1f_ffff_ffe0n)).toBe(exits.priceOverflow);
      expect(place(0x1f_ffff_ffc0n)).toBe(exits.outOfGas);
      expect(place(2n ** 30n)).toBe(exits.outOfGas);
      expect(place(1000n)).toBe(exits.stop);
    }
  });
});

describe('control', () => {
  test('loops count down; jumps go to JUMPDESTs only, known and unknown', () => {
    // n; loop: n - 1, until 0.
    const loop = bytes(0x61, [0x03, 0xe8], 0x5b, 0x60, 1, 0x90, 0x03, 0x80, 0x60, 3, 0x57);
    expect(runCode(loop)).toMatchObject({ exit: exits.stop, stack: [0n], gas: 1_000_000 - 1 - 1000 * 7 });
    const jump = bytes(0x60, 0, 0x35, 0x56, 0x61, [0x5b, 0x5b], 0x5b, 0x60, 9);
    const byData = (at: number) => runCode(jump, { data: bytes(wordBytes(BigInt(at))) });
    expect(byData(7)).toMatchObject({ exit: exits.stop, stack: [9n] });
    for (const at of [0, 4, 5, 6, 8, 9, 10, 500]) expect(byData(at).exit).toBe(exits.invalidJump);
    expect(runCode(bytes(0x60, 4, 0x56, 0x00, 0x00)).exit).toBe(exits.invalidJump);
    expect(runCode(bytes(0x60, 1, 0x60, 77, 0x57)).exit).toBe(exits.invalidJump);
    expect(runCode(bytes(0x5f, 0x60, 77, 0x57)).exit).toBe(exits.stop);
  });

  test('a block that cannot run as a whole has not begun', () => {
    const short = runCode(bytes(0x60, 1, 0x60, 2, 0x01, 0x5b, 0x60, 3), { gas: 4 });
    expect(short).toMatchObject({ exit: exits.interpret, pc: 5, gas: 1, stack: [3n] });
    expect(runCode(bytes(0x60, 1, 0x01))).toMatchObject({ exit: exits.interpret, pc: 0, stack: [] });
    expect(runCode(bytes(0x60, 1, 0x0c))).toMatchObject({ exit: exits.interpret, pc: 2, stack: [1n] });
    const full = runCode(new Uint8Array(1025).fill(0x5f));
    expect(full).toMatchObject({ exit: exits.interpret, pc: 800 });
    expect(full.stack.length).toBe(800);
  });

  test("the host's opcodes that end a frame stop it behind what came before, charged for", () => {
    expect(runCode(bytes(0x60, 7, 0x60, 1, 0xf3, 0x60, 8))).toMatchObject({
      exit: exits.host,
      pc: 4,
      stack: [7n, 1n],
      gas: 999_997,
    });
  });

  test('others are asked for in between, and what the host threw comes out', () => {
    const loads = bytes(0x60, 7, 0x60, 20, 0x54, 0x01, 0x54, 0x60, 5, 0x02);
    expect(runCode(loads)).toMatchObject({ exit: exits.stop, stack: [29n * 5n], gas: 1_000_000 - 7 - 20 });
    expect(() => runCode(bytes(0x60, Number(refusedWord), 0x54))).toThrow('The host refuses.');
  });
});

describe('code of many blocks, which is more than one function', () => {
  const slotBytes = 12;
  /** Each block counts, then goes on with another one: known or not, always or on a condition. */
  const program = (order: readonly number[], kinds: readonly number[], last: number) => {
    const code = new Uint8Array(order.length * slotBytes + 3).fill(0x5b);
    code.set([0x60, 0]); // the counter
    for (const [at, slot] of order.entries()) {
      const next = order[at + 1];
      const target = next === undefined ? last : 3 + next * slotBytes;
      const destination = [0x61, target >> 8, target & 0xff];
      const unknown = [...destination, 0x5f, 0x35, 0x01]; // plus what the input does not have: 0
      const ways = [
        [...destination, 0x56],
        [0x60, 1, ...destination, 0x57],
        [...unknown, 0x56],
      ];
      const falls = next === slot + 1 && kinds[at] === 3;
      code.set([0x5b, 0x60, 1, 0x01, ...(falls ? [] : (ways[(kinds[at] ?? 0) % 3] ?? []))], 3 + slot * slotBytes);
    }
    return code;
  };
  const count = 1300;
  const order = fc.shuffledSubarray(
    Array.from({ length: count - 1 }, (_, index) => index + 1),
    { minLength: count - 1, maxLength: count - 1 },
  );
  const kinds = fc.array(fc.nat(3), { minLength: count, maxLength: count });

  test('goes through all of them, in any order', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          order,
          order.map((of) => of.toSorted((one, other) => one - other)),
        ),
        kinds,
        (others, ways) => {
          const code = program([0, ...others], ways, 0xffff);
          expect(runCode(code)).toMatchObject({ exit: exits.invalidJump, stack: [BigInt(count)] });
        },
      ),
      { numRuns: 10 },
    );
  });

  test('stops at its end, at a place that is no destination, and where gas ends', () => {
    const forth = Array.from({ length: count }, (_, index) => index);
    const unknown = forth.map(() => 2);
    expect(runCode(program(forth, unknown, 1))).toMatchObject({ exit: exits.invalidJump, stack: [BigInt(count)] });
    expect(
      runCode(
        program(
          forth,
          forth.map(() => 3),
          3,
        ),
      ),
    ).toMatchObject({ exit: exits.interpret });
    const { gas, stack } = runCode(program(forth, unknown, 3), { gas: 40_000 });
    expect(gas).toBeLessThan(20);
    expect(stack[0]).toBeGreaterThan(2n * BigInt(count));
    const falling = program(
      forth,
      forth.map(() => 3),
      0xffff,
    ).slice(0, -slotBytes);
    expect(runCode(falling)).toMatchObject({ exit: exits.stop, stack: [BigInt(count - 1)] });
  });
});

describe('hostile code', () => {
  const repeat = (...unit: number[]) =>
    Uint8Array.from({ length: codeBytesMax }, (_, index) => unit[index % unit.length] as number);
  test.each([
    ['JUMPDESTs', repeat(0x5b)],
    ['pushes', repeat(0x7f)],
    ['jumps', repeat(0x5b, 0x80, 0x80, 0x57)],
    ['memory', repeat(0x51)],
    ['hashes', repeat(0x80, 0x80, 0x20)],
    ['host opcodes', repeat(0x54)],
    ['swaps', repeat(0x8f, 0x9f)],
  ])('%s become a module that is bounded, or none', (_, code) => {
    const compiled = compile(code, figures);
    expect(compiled?.wasm.length ?? 0).toBeLessThan(wasmBytesMax * 1.1);
    if (compiled !== undefined) runCode(code, { gas: 1000 });
  });

  test('random bytes compile, and stop for a reason', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (code) => {
        const { exit, gas } = runCode(code, { gas: 5000 });
        expect(Object.values(exits)).toContain(exit);
        expect(gas).toBeLessThanOrEqual(5000);
      }),
      { numRuns: 200 },
    );
  });
});

test('code that is longer than any on chain is refused', () => {
  expect(compile(new Uint8Array(codeBytesMax + 1), figures)).toBeUndefined();
});
