import { test } from '@jest/globals';
import { codeBytesMax, compile } from './compile.ts';
import { op, opcodeFigures, opcodes } from './opcodes/index.ts';

const runs = 12;
const figures = opcodeFigures('osaka');

/** Deterministic code: 40 % pushes, the rest any opcode that stays in its frame. */
function mixedCode(length: number): Uint8Array {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state % below;
  };
  const plain = opcodes.filter(({ compile: kind }) => kind !== 'exit').map(({ code }) => code);
  return Uint8Array.from({ length }, () =>
    random(10) < 4 ? op.PUSH1 + random(3) : (plain[random(plain.length)] ?? 0),
  );
}

const codes = {
  'mixed code of 12,000 bytes': mixedCode(12_000),
  'mixed code of the maximum length': mixedCode(codeBytesMax),
  'JUMPDESTs of the maximum length': new Uint8Array(codeBytesMax).fill(op.JUMPDEST),
} as const;

test.each(Object.entries(codes))('compile: %s', (name, code) => {
  for (let round = 0; round < runs; round++) compile(code, figures);
  const times = Array.from({ length: runs }, () => {
    const begun = performance.now();
    compile(code, figures);
    return performance.now() - begun;
  }).sort((one, other) => one - other);
  const [fastest = 0, slowest = 0] = [times[0], times.at(-1)];
  console.log(
    `${name}: ${fastest.toFixed(2)} to ${slowest.toFixed(2)} ms, ${compile(code, figures)?.wasm.length ?? 0} bytes of WebAssembly`,
  );
});
