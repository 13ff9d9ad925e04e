import { type Hex, hexFromBytes, type Log } from '@cairn/block-model';
import { isLog, op } from '@cairn/evm-compiler/opcodes';
import type { EngineStep } from './engine-tracer.ts';

/** Log of a step if it is one of LOG0 to LOG4. A step that cannot pay for its data ends its frame, which reverts the log. */
export function logOfStep({ opcode, stack, memory, address }: EngineStep): Log | undefined {
  if (!isLog(opcode)) return undefined;
  const [offset = 0n, length = 0n, ...topics] = stack.slice(op.LOG0 - 2 - opcode).reverse();
  if (length > 2n ** 32n) return undefined;
  const data = new Uint8Array(Number(length));
  // Memory is that before the step, and may be shorter than the range.
  if (offset < BigInt(memory.length)) data.set(memory.subarray(Number(offset), Number(offset + length)));
  return { address: hexFromBytes(address), topics: topics.map(hexFromWord), data: hexFromBytes(data) };
}

/** Word as 32 bytes in hexadecimal. */
export function hexFromWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Address in the low 20 bytes of a word, in hexadecimal. */
export function addressHexFromWord(value: bigint): Hex {
  return `0x${BigInt.asUintN(160, value).toString(16).padStart(40, '0')}`;
}
