import { type Hex, hexFromBytes } from '@cairn/block-model';
import type { EngineFrame } from '@cairn/evm';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

const kinds: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']);

/** geth's 4byteTracer: counts calls by selector and length of the arguments. */
export class FourByteTracer implements TransactionTracer {
  readonly #counts = new Map<string, number>();
  #precompiles: ReadonlySet<Hex> = new Set();

  begin({ context }: TracedMessage): void {
    this.#precompiles = new Set(context.rules.precompiles);
  }

  onEnter({ kind, to, input }: EngineFrame): void {
    if (!kinds.has(kind) || input.length < 4 || this.#precompiles.has(hexFromBytes(to))) return;
    const name = `${hexFromBytes(input.subarray(0, 4))}-${input.length - 4}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  result(): string {
    return JSON.stringify(Object.fromEntries(this.#counts));
  }
}
