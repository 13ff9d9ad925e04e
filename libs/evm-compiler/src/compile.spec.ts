import { describe, expect, test } from '@jest/globals';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { codeBytesMax, compile, wasmBytesMax } from './compile.ts';
import { exits } from './exits.ts';
import { figures, refusedWord, runCode, wordBytes } from './machine.fixture.ts';
import { op, opcodeName } from './opcodes/index.ts';

const bytes = (...parts: readonly (number | readonly number[])[]) => Uint8Array.from(parts.flat());
const signed = (word: bigint) => BigInt.asIntN(256, word);
const modulus = 1n << 256n;
/** No fork has it. */
const unknownOpcode = 0x0c;
const power = (base: bigint, exponent: bigint) => {
  let result = 1n;
  for (let bit = 255n; bit >= 0n; bit--) result = (result * result * ((exponent >> bit) & 1n ? base : 1n)) % modulus;
  return result;
};

/** Results of opcodes; the first operand is the top of the stack (Yellow Paper, appendix H.2). */
const meanings: readonly (readonly [number, (a: bigint, b: bigint, c: bigint) => bigint])[] = [
  [op.ADD, (a, b) => a + b],
  [op.MUL, (a, b) => a * b],
  [op.SUB, (a, b) => a - b],
  [op.DIV, (a, b) => (b === 0n ? 0n : a / b)],
  [op.SDIV, (a, b) => (b === 0n ? 0n : signed(a) / signed(b))],
  [op.MOD, (a, b) => (b === 0n ? 0n : a % b)],
  [op.SMOD, (a, b) => (b === 0n ? 0n : signed(a) % signed(b))],
  [op.ADDMOD, (a, b, c) => (c === 0n ? 0n : (a + b) % c)],
  [op.MULMOD, (a, b, c) => (c === 0n ? 0n : (a * b) % c)],
  [op.EXP, power],
  [op.SIGNEXTEND, (a, b) => (a > 30n ? b : BigInt.asIntN(8 * (Number(a) + 1), b))],
  [op.LT, (a, b) => (a < b ? 1n : 0n)],
  [op.GT, (a, b) => (a > b ? 1n : 0n)],
  [op.SLT, (a, b) => (signed(a) < signed(b) ? 1n : 0n)],
  [op.SGT, (a, b) => (signed(a) > signed(b) ? 1n : 0n)],
  [op.EQ, (a, b) => (a === b ? 1n : 0n)],
  [op.ISZERO, (a) => (a === 0n ? 1n : 0n)],
  [op.AND, (a, b) => a & b],
  [op.OR, (a, b) => a | b],
  [op.XOR, (a, b) => a ^ b],
  [op.NOT, (a) => ~a],
  [op.BYTE, (a, b) => (a > 31n ? 0n : (b >> (248n - 8n * a)) & 0xffn)],
  [op.SHL, (a, b) => (a > 255n ? 0n : b << a)],
  [op.SHR, (a, b) => (a > 255n ? 0n : b >> a)],
  [op.SAR, (a, b) => signed(b) >> (a > 255n ? 255n : a)],
  [op.CLZ, (a) => BigInt(256 - (a === 0n ? 0 : a.toString(2).length))],
];

/** Words at limits of the arithmetic, and random ones. */
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
  // Digits for which long division guesses a quotient digit too large.
  fc
    .array(fc.constantFrom(0n, 1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 2n, 2n ** 32n - 1n), {
      minLength: 1,
      maxLength: 8,
    })
    .map((digits) => digits.reduce((sum, digit) => (sum << 32n) | digit, 0n)),
);

describe('arithmetic', () => {
  test.each(meanings.map(([opcode, meaning]) => [opcodeName(opcode), opcode, meaning] as const))(
    '%s computes its result from call data and from constants',
    (_, opcode, meaning) => {
      const count = figures.pops[opcode];
      fc.assert(
        fc.property(fc.tuple(word, word, word), (operands) => {
          const [a, b, c] = operands;
          const used = operands.slice(0, count);
          const expected = BigInt.asUintN(256, meaning(a, b, c));
          const data = bytes(...used.map(wordBytes));
          const fromData = [...used.keys()].reverse().flatMap((index) => [op.PUSH1, 32 * index, op.CALLDATALOAD]);
          expect(runCode(bytes(fromData, opcode), { data }).stack).toEqual([expected]);
          const constants = [...used].reverse().flatMap((operand) => [op.PUSH32, ...wordBytes(operand)]);
          expect(runCode(bytes(constants, opcode)).stack).toEqual([expected]);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('DUP and SWAP move constants and words of the stack', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: op.DUP1, max: op.SWAP16 }), { maxLength: 40 }), (moves) => {
        const model = Array.from({ length: 17 }, (_, index) => BigInt(index + 1));
        const pushes = model.flatMap((value, index) =>
          index % 2 ? [op.PUSH1, Number(value)] : [op.PUSH2, (32 * index) >> 8, (32 * index) & 0xff, op.CALLDATALOAD],
        );
        const data = bytes(...model.map(wordBytes));
        for (const move of moves) {
          if (move < op.SWAP1) model.push(model.at(op.DUP1 - 1 - move) as bigint);
          else {
            const other = model.length - 1 - (move - op.SWAP1 + 1);
            const top = model.length - 1;
            [model[top], model[other]] = [model[other] as bigint, model[top] as bigint];
          }
        }
        // In two blocks, since the second one reads the stack that the first one wrote to memory.
        const half = Math.floor(moves.length / 2);
        const code = bytes(pushes, moves.slice(0, half), op.JUMPDEST, moves.slice(half));
        expect(runCode(code, { data }).stack).toEqual(model);
      }),
    );
  });
});

describe('memory', () => {
  test('KECCAK256 returns the hash of @noble/hashes for lengths around a block', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40 }), word, (length, offset, value) => {
        const size = [length >> 8, length & 0xff];
        const fill = [0, 64, 128, 200, 280].flatMap((at) => [
          op.PUSH32,
          ...wordBytes(value),
          op.PUSH2,
          at >> 8,
          at & 0xff,
          op.MSTORE,
        ]);
        const { stack, memory } = runCode(bytes(fill, op.PUSH2, size, op.PUSH1, offset, op.KECCAK256));
        const expected = keccak_256(memory.slice(offset, offset + length));
        expect(stack).toEqual([BigInt(`0x${Buffer.from(expected).toString('hex')}`)]);
      }),
    );
  });

  test('KECCAK256 of 64 bytes returns the same digest again, also after other digests', () => {
    const digestOf = (key: bigint, slot: bigint) => {
      const pair = [...wordBytes(key), ...wordBytes(slot)];
      const code = bytes(
        [op.PUSH32, ...wordBytes(key), op.PUSH1, 0, op.MSTORE, op.PUSH32, ...wordBytes(slot), op.PUSH1, 32, op.MSTORE],
        [op.PUSH1, 64, op.PUSH1, 0, op.KECCAK256],
      );
      const expected = keccak_256(Uint8Array.from(pair));
      expect(runCode(code).stack).toEqual([BigInt(`0x${Buffer.from(expected).toString('hex')}`)]);
    };
    digestOf(0n, 0n);
    digestOf(0n, 0n);
    // More pairs than entries, so that they replace each other.
    for (let key = 0n; key < 300n; key++) digestOf(key, key & 1n);
    for (let key = 0n; key < 20n; key++) digestOf(key, key & 1n);
    fc.assert(
      fc.property(word, word, (key, slot) => {
        digestOf(key, slot);
        digestOf(slot, key);
        digestOf(key, slot);
      }),
      { numRuns: 30 },
    );
  });

  test('words and bytes are written big-endian, and new memory is zeros', () => {
    const code = bytes(
      [op.PUSH32, ...wordBytes(2n ** 255n + 7n)],
      [op.PUSH1, 5, op.MSTORE],
      [op.PUSH2, 0x12, 0x34],
      [op.PUSH1, 64, op.MSTORE8],
      [op.PUSH1, 32, op.MLOAD],
    );
    const { memory, stack } = runCode(code);
    expect(memory.length).toBe(96);
    expect([...memory.slice(5, 37)]).toEqual(wordBytes(2n ** 255n + 7n));
    expect(memory[64]).toBe(0x34);
    expect(stack).toEqual([7n << 216n]);
  });

  test('a place beyond 64 bits, a price beyond 64 bits and too little gas are distinct exits', () => {
    const load = (at: bigint) => runCode(bytes(op.PUSH32, wordBytes(at), op.MLOAD)).exit;
    const loadData = (at: bigint) =>
      runCode(bytes(op.PUSH1, 0, op.CALLDATALOAD, op.MLOAD), { data: bytes(wordBytes(at)) }).exit;
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

describe('jumps, blocks and exits', () => {
  test('jumps to known and computed places reach JUMPDESTs only', () => {
    // Counts down from 1,000 to 0.
    const loop = bytes(
      [op.PUSH2, 0x03, 0xe8, op.JUMPDEST],
      [op.PUSH1, 1, op.SWAP1, op.SUB, op.DUP1, op.PUSH1, 3, op.JUMPI],
    );
    expect(runCode(loop)).toMatchObject({ exit: exits.stop, stack: [0n], gas: 1_000_000 - 1 - 1000 * 7 });
    const jump = bytes(
      [op.PUSH1, 0, op.CALLDATALOAD, op.JUMP],
      [op.PUSH2, op.JUMPDEST, op.JUMPDEST, op.JUMPDEST, op.PUSH1, 9],
    );
    const byData = (at: number) => runCode(jump, { data: bytes(wordBytes(BigInt(at))) });
    expect(byData(7)).toMatchObject({ exit: exits.stop, stack: [9n] });
    for (const at of [0, 4, 5, 6, 8, 9, 10, 500]) expect(byData(at).exit).toBe(exits.invalidJump);
    expect(runCode(bytes(op.PUSH1, 4, op.JUMP, op.STOP, op.STOP)).exit).toBe(exits.invalidJump);
    expect(runCode(bytes(op.PUSH1, 1, op.PUSH1, 77, op.JUMPI)).exit).toBe(exits.invalidJump);
    expect(runCode(bytes(op.PUSH0, op.PUSH1, 77, op.JUMPI)).exit).toBe(exits.stop);
  });

  test('a block that cannot run as a whole is left to the interpreter before its first opcode', () => {
    const short = runCode(bytes(op.PUSH1, 1, op.PUSH1, 2, op.ADD, op.JUMPDEST, op.PUSH1, 3), { gas: 4 });
    expect(short).toMatchObject({ exit: exits.interpret, pc: 5, gas: 1, stack: [3n] });
    expect(runCode(bytes(op.PUSH1, 1, op.ADD))).toMatchObject({ exit: exits.interpret, pc: 0, stack: [] });
    expect(runCode(bytes(op.PUSH1, 1, unknownOpcode))).toMatchObject({ exit: exits.interpret, pc: 2, stack: [1n] });
    const full = runCode(new Uint8Array(1025).fill(op.PUSH0));
    expect(full).toMatchObject({ exit: exits.interpret, pc: 800 });
    expect(full.stack.length).toBe(800);
  });

  test('an opcode that ends the frame stops the code there, charged for', () => {
    expect(runCode(bytes(op.PUSH1, 7, op.PUSH1, 1, op.RETURN, op.PUSH1, 8))).toMatchObject({
      exit: exits.host,
      pc: 4,
      stack: [7n, 1n],
      gas: 999_997,
    });
  });

  test('other host opcodes call the host, whose error reaches the caller', () => {
    const loads = bytes(op.PUSH1, 7, op.PUSH1, 20, op.SLOAD, op.ADD, op.SLOAD, op.PUSH1, 5, op.MUL);
    expect(runCode(loads)).toMatchObject({ exit: exits.stop, stack: [29n * 5n], gas: 1_000_000 - 7 - 20 });
    expect(() => runCode(bytes(op.PUSH1, Number(refusedWord), op.SLOAD))).toThrow('The host refuses.');
  });
});

describe('code of several regions', () => {
  const bytesPerBlock = 12;
  /** Each block adds one to a counter, then jumps to the next one: to a known or computed offset, with JUMP or JUMPI. */
  const program = (order: readonly number[], kinds: readonly number[], last: number) => {
    const code = new Uint8Array(order.length * bytesPerBlock + 3).fill(op.JUMPDEST);
    code.set([op.PUSH1, 0]); // The counter.
    for (const [at, index] of order.entries()) {
      const next = order[at + 1];
      const target = next === undefined ? last : 3 + next * bytesPerBlock;
      const destination = [op.PUSH2, target >> 8, target & 0xff];
      const unknown = [...destination, op.PUSH0, op.CALLDATALOAD, op.ADD]; // Adds a word of the empty input: 0.
      const ways = [
        [...destination, op.JUMP],
        [op.PUSH1, 1, ...destination, op.JUMPI],
        [...unknown, op.JUMP],
      ];
      const falls = next === index + 1 && kinds[at] === 3;
      code.set(
        [op.JUMPDEST, op.PUSH1, 1, op.ADD, ...(falls ? [] : (ways[(kinds[at] ?? 0) % 3] ?? []))],
        3 + index * bytesPerBlock,
      );
    }
    return code;
  };
  const count = 1300;
  const order = fc.shuffledSubarray(
    Array.from({ length: count - 1 }, (_, index) => index + 1),
    { minLength: count - 1, maxLength: count - 1 },
  );
  const kinds = fc.array(fc.nat(3), { minLength: count, maxLength: count });

  test('runs its blocks in any order', () => {
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

  test('stops at its end, at a wrong destination, and when gas runs out', () => {
    const inOrder = Array.from({ length: count }, (_, index) => index);
    const unknown = inOrder.map(() => 2);
    expect(runCode(program(inOrder, unknown, 1))).toMatchObject({ exit: exits.invalidJump, stack: [BigInt(count)] });
    expect(
      runCode(
        program(
          inOrder,
          inOrder.map(() => 3),
          3,
        ),
      ),
    ).toMatchObject({ exit: exits.interpret });
    const { gas, stack } = runCode(program(inOrder, unknown, 3), { gas: 40_000 });
    expect(gas).toBeLessThan(20);
    expect(stack[0]).toBeGreaterThan(2n * BigInt(count));
    const falling = program(
      inOrder,
      inOrder.map(() => 3),
      0xffff,
    ).slice(0, -bytesPerBlock);
    expect(runCode(falling)).toMatchObject({ exit: exits.stop, stack: [BigInt(count - 1)] });
  });
});

describe('hostile code', () => {
  const repeat = (...unit: number[]) =>
    Uint8Array.from({ length: codeBytesMax }, (_, index) => unit[index % unit.length] as number);
  test.each([
    ['JUMPDESTs', repeat(op.JUMPDEST)],
    ['pushes', repeat(op.PUSH32)],
    ['jumps', repeat(op.JUMPDEST, op.DUP1, op.DUP1, op.JUMPI)],
    ['memory', repeat(op.MLOAD)],
    ['hashes', repeat(op.DUP1, op.DUP1, op.KECCAK256)],
    ['host opcodes', repeat(op.SLOAD)],
    ['swaps', repeat(op.DUP16, op.SWAP16)],
  ])('code full of %s becomes a module of bounded size, or is refused', (_, code) => {
    const compiled = compile(code, figures);
    expect(compiled?.wasm.length ?? 0).toBeLessThan(wasmBytesMax * 1.1);
    if (compiled !== undefined) runCode(code, { gas: 1000 });
  });

  test('random bytes compile and stop with a known exit', () => {
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

test('compile refuses code longer than the limit of EIP-170', () => {
  expect(compile(new Uint8Array(codeBytesMax + 1), figures)).toBeUndefined();
});
