import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Analysis, analysisOf } from './analysis.ts';

describe('Analysis', () => {
  test('finds jump destinations and constants as the code read from its start has them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (code) => {
        const analysis = new Analysis(code);
        const destinations = new Set<number>();
        for (let pc = 0; pc < code.length; pc++) {
          const opcode = code[pc] ?? 0;
          if (opcode === 0x5b) destinations.add(pc);
          if (opcode < 0x60 || opcode > 0x7f) continue;
          const length = opcode - 0x5f;
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

  test('is made once for a code, and forgotten before analyses take too much', () => {
    const code = new Uint8Array(24_576).fill(0x60);
    const first = analysisOf(code);
    expect(analysisOf(code)).toBe(first);
    for (let n = 0; n < 100; n++) analysisOf(new Uint8Array(24_576).fill(0x60));
    expect(analysisOf(code)).not.toBe(first);
  });
});
