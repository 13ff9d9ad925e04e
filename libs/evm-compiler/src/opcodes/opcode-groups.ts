import { op } from './op.ts';

/** Opcodes that call another account. */
export const callOpcodes: ReadonlySet<number> = new Set<number>([op.CALL, op.CALLCODE, op.DELEGATECALL, op.STATICCALL]);

/** Reports whether an opcode is one of LOG0 to LOG4. */
export function isLog(code: number): boolean {
  return code >= op.LOG0 && code <= op.LOG4;
}
