import { opcodeAt } from '@cairn/evm-compiler/opcodes';
import type { Frame } from '../interpreter/frame.ts';

const uint64Max = 2n ** 64n - 1n;

/** Bytes of memory that a step needs, in whole words; `undefined` for more than 64 bits count. */
export function memoryEnd(code: number, { stack, sp }: Frame): bigint | undefined {
  const item = (index: number) => stack[sp - 1 - index] ?? 0n;
  let end = 0n;
  for (const [offset, length] of opcodeAt(code)?.memory ?? []) {
    const each = endOf(item(offset), typeof length === 'number' ? item(length) : BigInt(length.bytes));
    if (each === undefined) return undefined;
    if (each > end) end = each;
  }
  return wholeWords(end);
}

function endOf(at: bigint, length: bigint): bigint | undefined {
  if (length > uint64Max) return undefined;
  if (length === 0n) return 0n;
  const end = at + length;
  return end > uint64Max ? undefined : end;
}

function wholeWords(end: bigint | undefined): bigint | undefined {
  if (end === undefined) return undefined;
  const size = ((end + 31n) / 32n) * 32n;
  return size > uint64Max ? undefined : size;
}
