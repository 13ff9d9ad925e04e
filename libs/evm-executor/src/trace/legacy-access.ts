import type { EngineStep } from '@cairn/evm';
import { TraceRefusedError } from '../errors.ts';
import { paddedMemory } from './padded-memory.ts';

// Accessors for geth's first tracers, which were written in JavaScript. Access out of bounds fails the whole trace, as in geth.

/** Returns an item of the stack; index 0 is the top. @throws TRACE_REFUSED */
export function peek(stack: readonly bigint[], index: number): bigint {
  const item = stack.at(-1 - index);
  if (item !== undefined) return item;
  throw refused(`tracer accessed out of bound stack: size ${stack.length}, index ${index}`);
}

/** Returns memory from `begin` to `end`, padded with zeros. @throws TRACE_REFUSED */
export function memorySlice({ memory }: EngineStep, begin: number, end: number): Uint8Array {
  if (begin === end) return new Uint8Array(0);
  if (end < begin) throw refused(`tracer accessed out of bound memory: offset ${begin}, end ${end}`);
  const [from, to] = [BigInt(begin), BigInt(end)];
  const bytes = paddedMemory(memory, from, to - from);
  if (bytes !== undefined) return bytes;
  throw refused(`reached limit for padding memory slice: ${to - BigInt(memory.length)}`);
}

function refused(message: string): TraceRefusedError {
  return new TraceRefusedError(message, 'Use the tracer of the same name without Legacy.');
}
