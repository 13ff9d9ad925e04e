import type { Emitter } from './emitter.ts';
import type { VirtualStack } from './virtual-stack.ts';

/** Context in which one opcode is compiled. */
export interface Place {
  readonly emitter: Emitter;
  readonly stack: VirtualStack;
  readonly code: Uint8Array;
  readonly pc: number;
  /** See {@link OpcodeFigures}. */
  readonly expByte: number;
}
