import { hexFromBytes } from '@cairn/block-model';
import type { EngineFrame } from '../engine/engine-tracer.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

/** geth's 4byteTracer: how often each function was called, by selector and length of its arguments. */
export class FourByteTracer implements TransactionTracer {
  readonly #counts = new Map<string, number>();

  onEnter({ kind, input }: EngineFrame): void {
    if (kind.startsWith('CREATE') || input.length < 4) return;
    const name = `${hexFromBytes(input.subarray(0, 4))}-${input.length - 4}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  result(): string {
    return JSON.stringify(Object.fromEntries(this.#counts));
  }
}
