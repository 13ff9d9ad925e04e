import { type Hex, hexFromBytes } from '@cairn/block-model';
import type { EngineFrame, EngineStep } from '@cairn/evm';
import { addressHexFromWord, op } from '@cairn/evm';
import { memorySlice, peek } from './legacy-access.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

/** Stack index of the input offset, by opcode. */
const inputs: ReadonlyMap<number, number> = new Map([
  [op.CALL, 3],
  [op.CALLCODE, 3],
  [op.DELEGATECALL, 2],
  [op.STATICCALL, 2],
]);

/** geth's 4byteTracerLegacy: 4byteTracer derived from steps. It also counts calls that fail before they begin. */
export class LegacyFourByteTracer implements TransactionTracer {
  readonly #counts = new Map<string, number>();
  #precompiles: ReadonlySet<Hex> = new Set();
  #top: EngineFrame | undefined;

  begin({ context }: TracedMessage): void {
    this.#precompiles = new Set(context.rules.precompiles);
  }

  onEnter(frame: EngineFrame): void {
    this.#top ??= frame;
  }

  onStep(step: EngineStep): void {
    const first = inputs.get(step.opcode);
    if (first === undefined || this.#precompiles.has(addressHexFromWord(peek(step.stack, 1)))) return;
    const length = Number(peek(step.stack, first + 1));
    if (length < 4) return;
    const at = Number(peek(step.stack, first));
    this.#count(memorySlice(step, at, at + 4), length - 4);
  }

  #count(selector: Uint8Array, length: number): void {
    const name = `${hexFromBytes(selector)}-${length}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  result(): string {
    const { input } = this.#top ?? {};
    if (input !== undefined && input.length >= 4) this.#count(input.subarray(0, 4), input.length - 4);
    return JSON.stringify(Object.fromEntries(this.#counts));
  }
}
