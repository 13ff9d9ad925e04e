import { op } from '@cairn/evm-compiler/opcodes';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Analysis, analysisOf } from './analysis.ts';

describe('Analysis', () => {
  test('finds the jump destinations and constants of code that is read from its start', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (code) => {
        const analysis = new Analysis(code);
        const destinations = new Set<number>();
        for (let pc = 0; pc < code.length; pc++) {
          const opcode = code[pc] ?? 0;
          if (opcode === op.JUMPDEST) destinations.add(pc);
          if (opcode < op.PUSH1 || opcode > op.PUSH32) continue;
          const length = opcode - op.PUSH0;
          const bytes = Buffer.alloc(length);
          Buffer.from(code.subarray(pc + 1, pc + 1 + length)).copy(bytes);
          expect(analysis.pushed(pc)).toBe(BigInt(`0x${bytes.toString('hex')}`));
          expect(analysis.pushed(pc)).toBe(BigInt(`0x${bytes.toString('hex')}`));
          pc += length;
        }
        for (let pc = -1; pc <= code.length; pc++) expect(analysis.isJumpDestination(pc)).toBe(destinations.has(pc));
      }),
    );
  });

  test('is cached for a code, and evicted when analyses exceed their bound', () => {
    const code = new Uint8Array(24_576).fill(op.PUSH1);
    const first = analysisOf(code);
    expect(analysisOf(code)).toBe(first);
    for (let n = 0; n < 100; n++) analysisOf(new Uint8Array(24_576).fill(op.PUSH1));
    expect(analysisOf(code)).not.toBe(first);
  });
});
