import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { opcodeForks } from './forks.ts';
import { op } from './op.ts';
import { constantGas, opcodeFigures, opcodeName } from './opcode-figures.ts';
import { opcodes, reservedNames } from './opcode-table.ts';

const file = new URL('op.ts', import.meta.url);
const hex = (code: number) => `0x${code.toString(16).padStart(2, '0')}`;
const source = () =>
  [
    '// Written from opcode-table.ts by `npm run update-op`. Do not edit.',
    '',
    '/**',
    ' * Codes by name, as constants that tsc writes into the code: `case op.SLOAD:` compiles to `case 84:`. The switches of',
    ' * the interpreter become jump tables in V8 only with literals.',
    ' */',
    '// biome-ignore lint/suspicious/noConstEnum: builds of the workspace inline it, and others find an object',
    'export const enum op {',
    ...opcodes.map(({ code, name }) => `  ${name} = ${hex(code)},`),
    '}',
    '',
  ].join('\n');

test('op.ts has every row of the opcode table', () => {
  if (process.env.UPDATE_OP) writeFileSync(file, source());
  expect(readFileSync(file, 'utf8')).toBe(source());
  expect(op.CLZ).toBe(0x1e);
});

describe('the opcode table', () => {
  test('is sorted by code, and no code or name occurs twice', () => {
    const codes = opcodes.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort((one, other) => one - other));
    expect(new Set(opcodes.map(({ name }) => name)).size).toBe(opcodes.length);
    expect(reservedNames.filter(([code]) => codes.includes(code))).toEqual([]);
  });

  test('has a price for each opcode from its first fork on', () => {
    for (const opcode of opcodes) {
      const first = opcodeForks.indexOf(opcode.since);
      for (const [index, fork] of opcodeForks.entries())
        expect({ name: opcode.name, fork, isPriced: constantGas(opcode, fork) >= 0 }).toEqual({
          name: opcode.name,
          fork,
          isPriced: index >= first,
        });
      if (typeof opcode.gas === 'object') expect(Object.keys(opcode.gas)[0]).toBe(opcode.since);
    }
  });

  // geth's prices of SLOAD: params/protocol_params.go.
  test.each([
    ['frontier', 50],
    ['homestead', 50],
    ['byzantium', 200],
    ['istanbul', 800],
    ['osaka', 0],
  ] as const)('prices SLOAD in %s at %i gas', (fork, gas) => {
    expect(opcodeFigures(fork).cost[op.SLOAD]).toBe(gas);
  });

  test('names codes as geth does', () => {
    expect(opcodeName(op.DIFFICULTY)).toBe('DIFFICULTY');
    expect(opcodeName(0xfe)).toBe('INVALID');
    expect(opcodeName(0x0c)).toBe('opcode 0xc not defined');
  });
});
