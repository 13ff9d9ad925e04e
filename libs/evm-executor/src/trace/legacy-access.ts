import type { EngineStep } from '../engine/engine-tracer.ts';
import { TraceRefusedError } from '../errors.ts';
import { paddedMemory } from './padded-memory.ts';

// The first tracers were written in JavaScript. Where they ask for more than there is, they fail as a whole, as in geth.

/** An item of the stack, 0 being the top. @throws TRACE_REFUSED */
export function peek(stack: readonly bigint[], index: number): bigint {
  const item = stack.at(-1 - index);
  if (item !== undefined) return item;
  throw refused(`tracer accessed out of bound stack: size ${stack.length}, index ${index}`);
}

/** Memory from a place to another. @throws TRACE_REFUSED */
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
