import { type Hex, hexFromBytes, keccak256 } from '@cairn/block-model';
import type { EngineStep } from '@cairn/evm';
import { op } from '@cairn/evm';
import { TraceTooLargeError } from '../errors.ts';
import { paddedMemory } from './padded-memory.ts';
import { traceCharactersMax } from './trace-limits.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

/** geth's keccak256PreimageTracer: inputs of KECCAK256 by their hash. */
export class KeccakPreimageTracer implements TransactionTracer {
  readonly #preimages = new Map<Hex, Hex>();
  #characters = 0;

  onStep({ opcode, stack, memory }: EngineStep): void {
    if (opcode !== op.KECCAK256) return;
    const [length, at] = stack.slice(-2);
    if (length === undefined || at === undefined) return;
    const preimage = paddedMemory(memory, at, length);
    if (preimage === undefined) return;
    const hash = hexFromBytes(keccak256(preimage));
    if (this.#preimages.has(hash)) return;
    this.#characters += 2 * preimage.length;
    if (this.#characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax, 'characters');
    this.#preimages.set(hash, hexFromBytes(preimage));
  }

  result(): string {
    return JSON.stringify(Object.fromEntries(this.#preimages));
  }
}
